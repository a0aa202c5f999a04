#include "outbound/call_cursor.h"

#include <patchbay/utc.h>

#include <algorithm>
#include <charconv>

namespace patchbay::ai_voice {
namespace {

constexpr std::string_view kFirstMember = R"({"callId":")";
constexpr std::string_view kCreatedMember = R"("createdAtUtc":")";
constexpr size_t kMaxDigits = 15;
constexpr size_t kMaxIdBytes = 64;

std::string_view text_at(std::string_view records, size_t begin) {
  return records.substr(begin, records.find('"', begin) - begin);
}

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIdBytes && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

}  // namespace

Result<CallPosition> read_cursor(std::string_view text) {
  if (text.empty()) return CallPosition{};
  const auto dot = text.find('.');
  const auto digits = text.substr(0, dot);
  CallPosition position;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), position.created_ms);
  const bool is_time = !digits.empty() && digits.size() <= kMaxDigits && read.ec == std::errc() &&
                       read.ptr == digits.data() + digits.size() && position.created_ms >= 0;
  if (!is_time || dot == std::string_view::npos || !is_id(text.substr(dot + 1)))
    return {Code::invalid, "cursor must be that of an earlier page's next; leave it out for the first page"};
  position.call_id = text.substr(dot + 1);
  return position;
}

std::string cursor_after(std::string_view records) {
  const size_t begin = records.rfind(kFirstMember);
  if (begin == std::string_view::npos) return {};
  const std::string_view last = records.substr(begin);
  const auto created = parse_utc(text_at(last, last.find(kCreatedMember) + kCreatedMember.size()));
  return std::to_string(created.value_or(0)) + "." + std::string(text_at(last, kFirstMember.size()));
}

std::string without_last(std::string_view records) {
  const size_t last = records.rfind(kFirstMember);
  if (last == std::string_view::npos) return std::string(records);
  return std::string(records.substr(0, records[last - 1] == ',' ? last - 1 : last)) + "]";
}

}  // namespace patchbay::ai_voice
