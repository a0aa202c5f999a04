#include "page/page_cursor.h"

#include <patchbay/text.h>
#include <patchbay/utc.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace patchbay::lib {
namespace {

constexpr size_t kMaxTimeDigits = 15;
constexpr size_t kMaxIdBytes = 100;

bool is_row_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIdBytes && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  });
}

// Where the last item begins, which is a brace. Goes back from brace to brace, because memrchr() skips the
// octets between them in large steps; rfind() would compare at each.
size_t last_item(std::string_view text, std::string_view begin_of_item) {
  for (size_t size = text.size(); size > 0;) {
    const auto* brace = static_cast<const char*>(::memrchr(text.data(), '{', size));
    if (brace == nullptr) break;
    size = static_cast<size_t>(brace - text.data());
    if (text.substr(size).starts_with(begin_of_item)) return size;
  }
  return std::string_view::npos;
}

// The text after `"name":"`. By memmem(), because find() stops at each of the many quotes.
std::string_view member_text(std::string_view item, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\":\"";
  const auto* found = static_cast<const char*>(::memmem(item.data(), item.size(), key.data(), key.size()));
  if (found == nullptr) return {};
  const size_t begin = static_cast<size_t>(found - item.data()) + key.size();
  return item.substr(begin, item.find('"', begin) - begin);
}

}  // namespace

Result<PagePosition> read_page_cursor(std::string_view text) {
  if (text.empty()) return PagePosition{};
  const auto dot = text.find('.');
  const auto digits = text.substr(0, dot);
  PagePosition position;
  const bool is_position = dot != std::string_view::npos && is_digits(digits) &&
                           digits.size() <= kMaxTimeDigits && is_row_id(text.substr(dot + 1));
  if (!is_position)
    return {Code::invalid, "cursor must be that of an earlier page's next; leave it out for the first page"};
  std::from_chars(digits.data(), digits.data() + digits.size(), position.time_ms);
  position.id = text.substr(dot + 1);
  return position;
}

std::string page_cursor(const PagePosition& position) {
  return std::to_string(std::max<int64_t>(position.time_ms, 0)) + "." + position.id;
}

int64_t rows_to_read(const PagePosition& after, int64_t limit) {
  return after.is_begin() ? limit : limit + 1;
}

PageEnd page_end(const PagePosition& after, size_t rows, int64_t limit, int64_t offset, int64_t total) {
  const auto most = static_cast<size_t>(limit);
  if (after.is_begin()) return {rows, rows == most && rows > 0 && offset + limit < total};
  return {std::min(rows, most), rows > most};
}

JsonPage json_page(Buffer items, const PageEnd& end, size_t rows, const CursorMembers& members) {
  const std::string begin_of_item = "{\"" + std::string(members.first) + "\":\"";
  std::string_view text = items.view();
  if (rows > end.count) {
    const size_t last = last_item(text, begin_of_item);
    if (last != std::string_view::npos && last > 0) {
      const std::string shorter = std::string(text.substr(0, text[last - 1] == ',' ? last - 1 : last)) + "]";
      items = Buffer::copy(shorter);
      text = items.view();
    }
  }
  JsonPage page{std::move(items), {}};
  if (!end.has_next) return page;
  const size_t last = last_item(text, begin_of_item);
  if (last == std::string_view::npos) return page;
  const std::string_view item = text.substr(last);
  const auto time_ms = parse_utc(member_text(item, members.time));
  page.next_cursor = page_cursor({time_ms.value_or(0), std::string(member_text(item, members.id))});
  return page;
}

}  // namespace patchbay::lib
