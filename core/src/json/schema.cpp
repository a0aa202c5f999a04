#include "json/schema.h"

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

}  // namespace

std::string Violation::sentence() const {
  return (path.empty() ? "the value" : path) + " " + text + (hint.empty() ? "" : "; " + hint);
}

Error Checked::error() const {
  std::string text;
  for (const Violation& violation : violations) text += (text.empty() ? "" : ". ") + violation.sentence();
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
