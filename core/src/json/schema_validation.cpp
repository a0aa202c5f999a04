#include "json/schema_validation.h"

#include <patchbay/text.h>

#include <algorithm>

#include "json/limits.h"
#include "json/printable_text.h"
#include "json/schema_format.h"
#include "json/suggestion.h"
#include "json/writer.h"

namespace patchbay::core::json {
namespace {

constexpr const char* kNul = "must not hold the character U+0000";

// maxSeconds becomes MaxSeconds and the reverse.
std::string other_case(std::string_view name) {
  std::string other(name);
  if (other.empty()) return other;
  const char c = other[0];
  other[0] = c >= 'A' && c <= 'Z'   ? static_cast<char>(c + 32)
             : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32)
                                    : c;
  return other;
}

const Node* find_choice(const Rule& rule, std::string_view text) {
  for (const Node* choice : rule.choices) {
    if (!choice->is(Type::string)) continue;
    if (choice->string() == text || (rule.ignore_case && equals_ignoring_case(choice->string(), text)))
      return choice;
  }
  return nullptr;
}

std::string one_of(const Rule& rule) {
  std::string list;
  for (const Node* choice : rule.choices) list += (list.empty() ? "" : ", ") + write(*choice);
  return (rule.choices.size() == 1 ? "must be " : "must be one of ") + list;
}

std::string count_of(size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// A value that the rule accepts, as JSON; "": the schema names none.
std::string example_value(const Rule& rule) {
  if (rule.example) return write(*rule.example);
  if (!rule.choices.empty()) return write(*rule.choices.front());
  const Node* given = rule.default_value;
  if (given && (given->is(Type::string) ? !given->string().empty() : given->is(Type::number)))
    return write(*given);
  if (rule.format == Rule::Format::uri) return "\"https://example.com/path\"";
  if (rule.format == Rule::Format::date_time) return "\"2026-01-31T12:00:00Z\"";
  if (rule.minimum) return write(*rule.minimum);
  const bool numeric = (rule.types & (Rule::kInteger | Rule::bit(Type::number))) != 0;
  if (numeric && (!rule.maximum || rule.maximum->number() >= 1)) return "1";
  const std::string item = rule.items ? example_value(*rule.items) : "";
  return item.empty() ? item : "[" + item + "]";
}

// A hint with an example; empty if there is none that is short, or the value is secret.
std::string example_of(const Rule& rule) {
  const std::string text = rule.secret ? "" : example_value(rule);
  return text.empty() || text.size() > kMaxExampleBytes ? "" : "for example " + text;
}

// The hint for a value that is missing or of another type: all values when the schema lists them.
std::string values_of(const Rule& rule) {
  return rule.choices.empty() || rule.secret ? example_of(rule) : "it " + one_of(rule);
}

std::string pattern_text(const Rule& rule) {
  if (!rule.message.empty()) return "must " + rule.message;
  return rule.example ? "is not written as it must be" : "is not written as its description says";
}

bool has_nul(std::string_view text) noexcept { return text.find('\0') != std::string_view::npos; }

}  // namespace

class Validation::Step {
 public:
  Step(Validation& check, const std::string& more) : path_(check.path_), length_(path_.size()) {
    if (!path_.empty() && more[0] != '[') path_ += '.';
    path_ += more;
  }
  ~Step() { path_.resize(length_); }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  std::string& path_;
  size_t length_;
};

void Validation::add_violation(uint32_t origin, std::string text, std::string hint) {
  if (violations_.size() < options_.max_violations)
    violations_.push_back({path_, std::move(text), std::move(hint), origin});
  else
    ++not_listed_;
}

void Validation::run(const Rule& rule, const Node& value) {
  if (rule.secret && options_.secret) return secret(rule, value);
  const bool scalar = value.is(Type::number) || value.is(Type::boolean);
  if (scalar && !rule.allows(value) && (rule.types & Rule::bit(Type::string)) && options_.spelling)
    if (const auto written = options_.spelling(value.origin())) return text(rule, *written, value.origin());
  if (!rule.allows(value)) return huge_integer(rule, value) ? void() : wrong_type(rule, value);

  switch (value.type()) {
    case Type::string:
      return text(rule, value.string(), value.origin());
    case Type::number:
      return number(rule, value);
    case Type::array:
      return array(rule, value);
    case Type::object:
      return object(rule, value);
    default:
      if (!rule.choices.empty() && std::none_of(rule.choices.begin(), rule.choices.end(),
                                                [&](const Node* c) { return equal(*c, value); }))
        add_violation(value.origin(), one_of(rule));
      builder_.copy(value);
  }
}

bool Validation::huge_integer(const Rule& rule, const Node& value) {
  if (!(rule.types & Rule::kInteger) || !value.is(Type::number) || value.is_integer()) return false;
  const double number = value.number();
  constexpr double kBeyond = 9223372036854775808.0;
  if (number > -kBeyond && number < kBeyond) return false;
  const Node* bound = number > 0 ? rule.maximum : rule.minimum;
  if (bound && rule.snap) return builder_.copy(*bound, false), true;
  const char* widest = number > 0 ? "9223372036854775807" : "-9223372036854775808";
  add_violation(value.origin(), std::string(number > 0 ? "must be at most " : "must be at least ") +
                                    (bound ? write(*bound) : widest));
  builder_.null();
  return true;
}

void Validation::free_value(const Node& value) {
  if (value.is(Type::array)) {
    builder_.origin(value.origin()).begin_array();
    for (uint32_t i = 0; i < value.size(); ++i) {
      const Step step(*this, "[" + std::to_string(i) + "]");
      free_value(*value.element(i));
    }
    return builder_.end();
  }
  if (value.is(Type::object)) {
    builder_.origin(value.origin()).begin_object();
    extras(Rule(), value);
    return builder_.end();
  }
  if (has_nul(value.string())) add_violation(value.origin(), kNul);
  builder_.copy(value);
}

void Validation::wrong_type(const Rule& rule, const Node& value) {
  std::string hint = values_of(rule);
  if (config() && value.is(Type::string)) {
    if (rule.types & Rule::bit(Type::boolean)) hint = "write true or false, without quotes";
    if (rule.types & (Rule::bit(Type::number) | Rule::kInteger)) hint = "write digits, without quotes";
  }
  add_violation(value.origin(), "must be " + rule.type_names(), std::move(hint));
  builder_.null();
}

void Validation::number(const Rule& rule, const Node& value) {
  builder_.origin(value.origin());
  const bool low = rule.minimum && value.number() < rule.minimum->number();
  const bool high = rule.maximum && value.number() > rule.maximum->number();
  if ((low || high) && rule.snap) return builder_.copy(low ? *rule.minimum : *rule.maximum);
  if (low) add_violation(value.origin(), "must be at least " + write(*rule.minimum));
  if (high) add_violation(value.origin(), "must be at most " + write(*rule.maximum));
  if (!rule.choices.empty() &&
      std::none_of(rule.choices.begin(), rule.choices.end(), [&](const Node* c) { return equal(*c, value); }))
    add_violation(value.origin(), one_of(rule));
  builder_.copy(value);
}

void Validation::text(const Rule& rule, std::string_view value, uint32_t origin) {
  const bool good = text_is_good(rule, value, origin);
  if (good && rule.advised_length > 0 && code_points(value) < rule.advised_length)
    advice_.push_back({path_, "is shorter than " + count_of(rule.advised_length, "character"),
                       "write a longer one", origin});
  builder_.origin(origin);
  if (good && rule.file_path && options_.file_path && !value.empty())
    return builder_.string(options_.file_path(value));
  const Node* choice = good && rule.ignore_case ? find_choice(rule, value) : nullptr;
  builder_.string(choice ? choice->string() : value);
}

// Reports only the first mistake of a text.
bool Validation::text_is_good(const Rule& rule, std::string_view value, uint32_t origin) {
  const auto wrong = [&](std::string text, std::string hint = {}) {
    add_violation(origin, std::move(text), std::move(hint));
    return false;
  };
  if (has_nul(value)) return wrong(kNul);
  if (!rule.choices.empty() && !find_choice(rule, value)) {
    std::vector<std::string_view> names;
    for (const Node* choice : rule.choices) names.push_back(choice->string());
    const std::string near = rule.secret ? "" : suggest(value, names);
    return wrong(one_of(rule), near.empty() ? "" : "did you mean " + near + "?");
  }
  const bool bounded = rule.min_length > 0 || rule.max_length != Rule::kNoLimit;
  const size_t length = bounded ? code_points(value) : 0;
  if (bounded && length < rule.min_length)
    return wrong(length == 0 && rule.min_length == 1
                     ? "must not be empty"
                     : "must have at least " + count_of(rule.min_length, "character"),
                 example_of(rule));
  if (bounded && length > rule.max_length)
    return wrong("must have at most " + count_of(rule.max_length, "character"));
  if (rule.pattern && !rule.pattern->found_in(value)) return wrong(pattern_text(rule), example_of(rule));
  if (rule.format == Rule::Format::uri && !is_uri(value))
    return wrong("must be a URI such as https://example.com/path");
  if (rule.format == Rule::Format::date_time && !is_date_time(value))
    return wrong("must be a date and time such as 2026-01-31T12:00:00Z");
  return true;
}

void Validation::secret(const Rule& rule, const Node& value) {
  Result<std::string> resolved = options_.secret(value);
  if (resolved) return text(rule, *resolved, value.origin());
  add_violation(value.origin(), resolved.error().text);
  builder_.null();
}

void Validation::array(const Rule& rule, const Node& value) {
  if (value.size() < rule.min_items)
    add_violation(value.origin(), "must have at least " + count_of(rule.min_items, "item"), example_of(rule));
  if (value.size() > rule.max_items)
    add_violation(value.origin(), "must have at most " + count_of(rule.max_items, "item"));
  builder_.origin(value.origin()).begin_array();
  for (uint32_t i = 0; i < value.size(); ++i) {
    const Step step(*this, "[" + std::to_string(i) + "]");
    if (rule.items)
      run(*rule.items, *value.element(i));
    else
      free_value(*value.element(i));
  }
  builder_.end();
}

void Validation::object(const Rule& rule, const Node& value) {
  builder_.origin(value.origin()).begin_object();
  for (const Property& p : rule.properties) property(p, value);
  extras(rule, value);
  builder_.end();
}

bool Validation::is_absent(const Rule& rule, const Node* value) const {
  return !value || (value->is(Type::null) && !rule.takes_null());
}

void Validation::property(const Property& property, const Node& object) {
  const Node* value = find_member(property, object);
  const Step step(*this, property.name);
  if (is_absent(property.rule, value)) {
    value = property.rule.default_value;
    if (!value && property.required) add_violation(object.origin(), "is required", values_of(property.rule));
    if (!value) return;
  }
  builder_.key(property.name);
  run(property.rule, *value);
}

const Node* Validation::find_member(const Property& property, const Node& object) {
  const Node* exact = object.find(property.name);
  if (config()) return exact;
  const std::string other = other_case(property.name);
  const Node* variant = other == property.name ? nullptr : object.find(other);
  if (exact && variant) {
    const Step step(*this, property.name);
    add_violation(variant->origin(), "is given twice, also as " + other);
  }
  return exact ? exact : variant;
}

bool Validation::known(const Rule& rule, std::string_view key) const {
  const std::string other = config() ? std::string(key) : other_case(key);
  return std::any_of(rule.properties.begin(), rule.properties.end(),
                     [&](const Property& p) { return p.name == key || p.name == other; });
}

void Validation::extras(const Rule& rule, const Node& object) {
  for (uint32_t i = 0; i < object.size(); ++i) {
    const Member& member = *object.member(i);
    if (known(rule, member.key)) continue;
    const bool free =
        rule.extra == Rule::Extra::allow || (rule.extra == Rule::Extra::by_mode && !rule.has_properties);
    if (free || rule.extra == Rule::Extra::checked) {
      const Step step(*this, printable(member.key, kMaxNameInMessage));
      if (has_nul(member.key)) add_violation(member.value.origin(), "is a name with the character U+0000");
      builder_.key(member.key);
      if (free)
        free_value(member.value);
      else
        run(*rule.additional, member.value);
    } else if (config() || rule.extra == Rule::Extra::refuse) {
      unknown(rule, member);
    }
  }
}

void Validation::unknown(const Rule& rule, const Member& member) {
  std::vector<std::string_view> names;
  for (const Property& p : rule.properties) names.push_back(p.name);
  const std::string near = suggest(member.key, names);
  std::string hint = near.empty() ? "" : "did you mean " + near + "?";
  if (near.empty() && !names.empty() && names.size() <= kMaxListedNames)
    for (std::string_view name : names) hint += (hint.empty() ? "known are " : ", ") + std::string(name);
  const Step step(*this, printable(member.key, kMaxNameInMessage));
  add_violation(member.value.origin(), "is not a known field", std::move(hint));
}

}  // namespace patchbay::core::json
