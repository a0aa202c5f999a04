#include "json/parse.h"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <string>
#include <vector>

#include "json/builder.h"
#include "json/number.h"
#include "json/scan.h"
#include "json/text.h"

namespace patchbay::core::json {
namespace {

constexpr size_t kEchoedCharacters = 20;
constexpr size_t kPairwiseKeys = 12;  // up to here comparing all pairs beats sorting

bool duplicate_of_last(const Member* members, size_t count) {
  for (size_t i = 0; i + 1 < count; ++i)
    if (members[i].key == members[count - 1].key) return true;
  return false;
}

bool any_duplicate(const Member* members, size_t count) {
  std::vector<std::string_view> keys(count);
  std::transform(members, members + count, keys.begin(), [](const Member& m) { return m.key; });
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

// RapidJSON lets a lone low surrogate through; in UTF-8 it shows as ED A0..BF.
bool has_surrogate(std::string_view text) noexcept {
  for (size_t at = text.find('\xED'); at != std::string_view::npos; at = text.find('\xED', at + 1))
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xA0) return true;
  return false;
}

// Receives RapidJSON's events. Returning false stops the reader; fault() says why.
class Handler {
 public:
  Handler(const rapidjson::MemoryStream& stream, size_t depth) : stream_(stream), depth_(depth) {}

  // NOLINTBEGIN(readability-identifier-naming): RapidJSON's names
  bool Null() { return at().null(), true; }
  bool Bool(bool value) { return at().boolean(value), true; }
  // Never called: numbers arrive as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    return add_number(at(), {text, size}) || fail("a number is out of range");
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    if (has_surrogate({text, size})) return fail("a lone surrogate is not allowed");
    return at().string({text, size}), true;
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view name(text, size);
    if (has_surrogate(name)) return fail("a lone surrogate is not allowed");
    if (!last_key_is_new()) return fail("a key appears twice");
    return builder_.key(name), true;
  }
  bool StartObject() { return open() && (at().begin_object(), true); }
  bool StartArray() { return open() && (at().begin_array(), true); }
  bool EndArray(rapidjson::SizeType) { return builder_.end(), true; }
  bool EndObject(rapidjson::SizeType) {
    const size_t count = builder_.count();
    const bool twice = count > kPairwiseKeys ? any_duplicate(builder_.members(), count)
                                             : count && duplicate_of_last(builder_.members(), count);
    if (twice) return fail("a key appears twice");
    return builder_.end(), true;
  }
  // NOLINTEND(readability-identifier-naming)

  const char* fault() const noexcept { return fault_; }
  Document finish() { return builder_.finish(); }

 private:
  // Only the end of a token is known here; origins are offsets of the last byte read.
  Builder& at() { return builder_.origin(static_cast<uint32_t>(stream_.Tell())); }
  bool open() { return builder_.depth() < depth_ || fail("it is nested too deeply"); }
  bool fail(const char* text) {
    fault_ = text;
    return false;
  }
  // A small object is checked key by key, so that the error points at the key; a large one at its end.
  bool last_key_is_new() const {
    const size_t count = builder_.count();
    return count < 2 || count > kPairwiseKeys || !duplicate_of_last(builder_.members(), count);
  }

  const rapidjson::MemoryStream& stream_;
  size_t depth_;
  Builder builder_;
  const char* fault_ = nullptr;
};

Error complain(std::string_view text, size_t offset, std::string_view what) {
  const Position where = position(text, offset);
  std::string message = "JSON, line " + std::to_string(where.line) + ", column " +
                        std::to_string(where.column) + ": " + std::string(what);
  if (offset < text.size()) message += ", at \"" + printable(text.substr(offset), kEchoedCharacters) + "\"";
  return {Code::invalid, std::move(message)};
}

const char* reason(const rapidjson::Reader& reader, const Handler& handler) noexcept {
  if (handler.fault()) return handler.fault();
  if (reader.GetParseErrorCode() == rapidjson::kParseErrorNumberTooBig) return "a number is out of range";
  return rapidjson::GetParseError_En(reader.GetParseErrorCode());
}

}  // namespace

Position position(std::string_view text, size_t offset) noexcept {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const size_t newline = before.rfind('\n');
  return {1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n')),
          newline == std::string_view::npos ? before.size() + 1 : before.size() - newline};
}

Result<Document> parse(std::string_view text, Limits limits) {
  if (text.size() > limits.bytes || text.size() >= UINT32_MAX)
    return {Code::exhausted, "JSON of " + std::to_string(text.size()) + " bytes exceeds the limit of " +
                                 std::to_string(limits.bytes)};
  if (auto complaint = scan(text)) return complain(text, complaint->offset, complaint->text);

  constexpr unsigned kFlags = rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseIterativeFlag |
                              rapidjson::kParseValidateEncodingFlag;
  rapidjson::MemoryStream stream(text.data() ? text.data() : "", text.size());
  Handler handler(stream, limits.depth);
  rapidjson::Reader reader;
  reader.Parse<kFlags>(stream, handler);
  if (!reader.HasParseError()) return handler.finish();
  return complain(text, reader.GetErrorOffset(), reason(reader, handler));
}

}  // namespace patchbay::core::json
