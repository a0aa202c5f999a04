#include "json/parse.h"

#include <patchbay/json_string.h>
#include <rapidjson/encodings.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "json/builder.h"
#include "json/limits.h"
#include "json/parse_number.h"
#include "json/prescan.h"
#include "json/printable_text.h"

namespace patchbay::core::json {
namespace {

// Memory that is allocated at once for a text of which most is one string.
constexpr size_t kUsualNodeBytes = 512;
constexpr size_t kMaxFirstBlockBytes = 16384;

constexpr size_t kPairwiseKeys = 12;  // up to here comparing all pairs is faster than sorting

bool has_key(const Member* members, size_t count, std::string_view key) {
  return std::any_of(members, members + count, [key](const Member& m) { return m.key == key; });
}

// The first member that repeats an earlier key; nullptr if there is none.
const Member* find_duplicate(const Member* members, size_t count) {
  std::vector<const Member*> sorted(count);
  for (size_t i = 0; i < count; ++i) sorted[i] = members + i;
  std::sort(sorted.begin(), sorted.end(),
            [](const Member* a, const Member* b) { return a->key != b->key ? a->key < b->key : a < b; });
  const Member* first = nullptr;
  for (size_t i = 1; i < count; ++i)
    if (sorted[i]->key == sorted[i - 1]->key && (!first || sorted[i] < first)) first = sorted[i];
  return first;
}

// The offset of the quote that opens the string whose closing quote ends before `end`.
size_t opening_quote(std::string_view text, size_t end) noexcept {
  for (size_t at = end - 1; at-- > 0;) {
    if (text[at] != '"') continue;
    size_t slashes = 0;
    while (slashes < at && text[at - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return at;
  }
  return 0;
}

// RapidJSON lets a lone low surrogate through; in UTF-8 it shows as ED A0..BF.
bool has_surrogate(std::string_view text) noexcept {
  for (size_t at = text.find('\xED'); at != std::string_view::npos; at = text.find('\xED', at + 1))
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xA0) return true;
  return false;
}

// UTF-8 of which the plain ASCII in a string is copied as a whole. RapidJSON's own fast path for strings does
// not check the encoding and lets control characters through.
struct FastUtf8 : rapidjson::UTF8<> {
  // Called at each character of a string that is neither escaped nor the closing quote. `out`: not the input,
  // as that would be for parsing in place.
  template <class Output>
  static bool Validate(rapidjson::MemoryStream& in, Output& out) {  // NOLINT(readability-identifier-naming)
    if constexpr (!std::is_same_v<Output, rapidjson::MemoryStream>) {
      const std::string_view rest(in.src_, static_cast<size_t>(in.end_ - in.src_));
      if (const size_t size = end_of_plain_json(rest, 0)) {
        std::memcpy(out.Push(static_cast<rapidjson::SizeType>(size)), rest.data(), size);
        in.src_ += size;
        return true;
      }
    }
    return UTF8::Validate(in, out);
  }
};

using Reader = rapidjson::GenericReader<FastUtf8, FastUtf8>;

// Receives RapidJSON's events. Returning false stops the reader; fault() says why.
class Handler {
 public:
  Handler(const rapidjson::MemoryStream& stream, std::string_view text, const Limits& limits)
      : stream_(stream),
        text_(text),
        limits_(limits),
        builder_(std::min(text.size() + kUsualNodeBytes, kMaxFirstBlockBytes)) {}

  // NOLINTBEGIN(readability-identifier-naming): RapidJSON's names
  bool Null() { return one_more() && (at().null(), true); }
  bool Bool(bool value) { return one_more() && (at().boolean(value), true); }
  // Never called: numbers arrive as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    return one_more() && (add_number(at(), {text, size}) || fail("a number is out of range"));
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    if (has_surrogate({text, size})) return fail("a lone surrogate is not allowed");
    return one_more() && (at().string({text, size}), true);
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view name(text, size);
    if (has_surrogate(name)) return fail("a lone surrogate is not allowed");
    // A larger object is checked as a whole at its end.
    if (builder_.count() <= kPairwiseKeys && has_key(builder_.members(), builder_.count(), name))
      return fail_twice(name, opening_quote(text_, stream_.Tell()));
    return builder_.key(name), true;
  }
  bool StartObject() { return open() && (at().begin_object(), true); }
  bool StartArray() { return open() && (at().begin_array(), true); }
  bool EndArray(rapidjson::SizeType) { return builder_.end(), true; }
  bool EndObject(rapidjson::SizeType) {
    const size_t count = builder_.count();
    if (count > kPairwiseKeys)
      if (const Member* twice = find_duplicate(builder_.members(), count))
        return fail_twice(twice->key, twice->value.origin() - 1);
    return builder_.end(), true;
  }
  // NOLINTEND(readability-identifier-naming)

  const std::string& fault() const noexcept { return fault_; }
  std::optional<size_t> fault_offset() const noexcept { return fault_offset_; }
  bool too_large() const noexcept { return too_large_; }
  // The field that was being read.
  std::string_view name() const noexcept { return builder_.name(); }
  Document finish() { return builder_.finish(); }

 private:
  // RapidJSON reports only where a token ends, so an origin is the offset after the last byte read.
  Builder& at() { return builder_.origin(static_cast<uint32_t>(stream_.Tell())); }
  bool open() { return one_more() && (builder_.depth() < limits_.depth || fail("it is nested too deeply")); }
  bool one_more() {
    if (++values_ <= limits_.values) return true;
    too_large_ = true;
    return fail("it holds more than " + std::to_string(limits_.values) + " values");
  }
  bool fail_twice(std::string_view key, size_t offset) {
    fault_offset_ = offset;
    return fail("the key " + printable(key, kMaxNameInMessage) + " appears twice");
  }
  bool fail(std::string text) {
    fault_ = std::move(text);
    return false;
  }

  const rapidjson::MemoryStream& stream_;
  const std::string_view text_;
  const Limits& limits_;
  Builder builder_;
  size_t values_ = 0;
  bool too_large_ = false;
  std::string fault_;
  std::optional<size_t> fault_offset_;
};

Error make_error(std::string_view text, size_t offset, std::string_view name, std::string_view what) {
  const Position where = position(text, offset);
  std::string message =
      "JSON, line " + std::to_string(where.line) + ", column " + std::to_string(where.column);
  if (!name.empty()) message += ", in " + printable(name, kMaxNameInMessage);
  return {Code::invalid, message + ": " + std::string(what)};
}

// RapidJSON's message, reworded as the end of ours.
std::string reason(rapidjson::ParseErrorCode code) {
  if (code == rapidjson::kParseErrorNumberTooBig) return "a number is out of range";
  if (code == rapidjson::kParseErrorStringUnicodeSurrogateInvalid) return "a lone surrogate is not allowed";
  std::string text = rapidjson::GetParseError_En(code);
  if (!text.empty() && text.back() == '.') text.pop_back();
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

Error describe_fault(std::string_view text, const Reader& reader, const Handler& handler) {
  const rapidjson::ParseErrorCode code = reader.GetParseErrorCode();
  if (!handler.fault().empty()) {
    const size_t offset = handler.fault_offset().value_or(reader.GetErrorOffset());
    Error error = make_error(text, offset, handler.fault_offset() ? std::string_view() : handler.name(),
                             handler.fault());
    if (handler.too_large()) error.code = Code::exhausted;
    return error;
  }
  // A string that no colon follows may be a value instead of a name, so it may be secret.
  const bool named = code != rapidjson::kParseErrorObjectMissColon;
  return make_error(text, reader.GetErrorOffset(), named ? handler.name() : std::string_view(), reason(code));
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
  if (auto fault = prescan(text)) return make_error(text, fault->offset, {}, fault->text);

  constexpr unsigned kFlags = rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseIterativeFlag |
                              rapidjson::kParseValidateEncodingFlag;
  rapidjson::MemoryStream stream(text.data() ? text.data() : "", text.size());
  Handler handler(stream, text, limits);
  Reader reader(nullptr, std::min(text.size() + kUsualNodeBytes, kMaxFirstBlockBytes));
  reader.Parse<kFlags>(stream, handler);
  if (!reader.HasParseError()) return handler.finish();
  return describe_fault(text, reader, handler);
}

}  // namespace patchbay::core::json
