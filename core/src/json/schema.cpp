#include "json/schema.h"

#include "json/check.h"
#include "json/parse.h"

namespace patchbay::core::json {

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

Checked Schema::check(const Node& value, const CheckOptions& options) const {
  Check check(options);
  check.run(*rule_, value);
  return check.finish();
}

}  // namespace patchbay::core::json
