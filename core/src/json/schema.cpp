#include "json/schema.h"

#include <algorithm>

#include "json/parse.h"
#include "json/schema_validation.h"

namespace patchbay::core::json {
namespace {

// An invalid default would be reported against the user's file or request, although the schema is wrong.
Status check_defaults(const Rule& rule, const std::string& path) {
  if (rule.default_value) {
    CheckOptions options{.mode = Mode::config};
    options.path = path;
    Validation check(options);
    check.run(rule, *rule.default_value);
    const Checked checked = check.take_result();
    if (!checked.ok()) return checked.error().within("schema keyword default");
  }
  for (const Property& property : rule.properties)
    PB_TRY(check_defaults(property.rule, path.empty() ? property.name : path + "." + property.name));
  if (rule.items) PB_TRY(check_defaults(*rule.items, path + "[]"));
  if (rule.additional) PB_TRY(check_defaults(*rule.additional, path + ".*"));
  return {};
}

// The longest beginning of at most `room` bytes that ends with a whole word, or at least a whole character.
std::string_view whole_words(std::string_view text, size_t room) {
  if (text.size() <= room) return text;
  while (room > 0 && (static_cast<unsigned char>(text[room]) & 0xC0U) == 0x80) --room;
  const size_t blank = text.substr(0, room + 1).rfind(' ');
  return text.substr(0, blank == std::string_view::npos ? room : blank);
}

std::string more_faults(size_t count) {
  return ". And " + std::to_string(count) + " more fault" + (count == 1 ? "" : "s");
}

// A text of at most `max_bytes` about violations that do not fit with their hints: whole sentences, then the
// number and the fields of those that are left.
std::string shortened(const std::vector<Violation>& violations, size_t not_listed, size_t max_bytes) {
  const size_t tail = more_faults(violations.size() + not_listed).size();
  const size_t room = max_bytes - std::min(max_bytes, tail);
  std::string text;
  std::vector<std::string_view> left;
  for (const Violation& violation : violations) {
    const std::string sentence = (text.empty() ? "" : ". ") + violation.without_hint();
    if (text.size() + sentence.size() <= room)
      text += sentence;
    else
      left.push_back(violation.path);
  }
  if (text.empty()) {  // none is short enough
    text = whole_words(violations.front().without_hint(), room);
    left.erase(left.begin());
  }
  if (left.size() + not_listed == 0) return text;
  text += more_faults(left.size() + not_listed);
  const char* separator = ": ";
  for (const std::string_view path : left) {
    if (path.empty() || text.size() + 2 + path.size() > max_bytes) continue;
    text.append(separator).append(path);
    separator = ", ";
  }
  return text;
}

}  // namespace

std::string Violation::without_hint() const { return (path.empty() ? "the value" : path) + " " + text; }

std::string Violation::sentence() const { return without_hint() + (hint.empty() ? "" : "; " + hint); }

Error Checked::error(size_t max_bytes) const {
  std::string text;
  for (const Violation& violation : violations) text += (text.empty() ? "" : ". ") + violation.sentence();
  if (not_listed > 0) text += more_faults(not_listed);
  if (text.size() > max_bytes) text = shortened(violations, not_listed, max_bytes);
  return {Code::invalid, std::move(text)};
}

Schema::Schema() : rule_(std::make_unique<Rule>()) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::compile(std::string_view text) {
  PB_TRY_VALUE(const Document source, parse(text));
  return compile(source.root());
}

Result<Schema> Schema::compile(const Node& schema) {
  Schema compiled;
  Builder builder;
  builder.copy(schema, false);
  compiled.source_ = builder.finish();
  PB_TRY_VALUE(*compiled.rule_, compile_rule(compiled.source_.root()));
  return compiled;
}

Status Schema::check_defaults() const { return json::check_defaults(*rule_, {}); }

Checked Schema::check(const Node& value, const CheckOptions& options) const {
  Validation check(options);
  check.run(*rule_, value);
  return check.take_result();
}

}  // namespace patchbay::core::json
