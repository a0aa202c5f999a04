// Validation: one run of a compiled schema over one value. Used by Schema only.
#pragma once

#include <string>
#include <string_view>

#include "json/builder.h"
#include "json/schema.h"
#include "json/schema_rule.h"

namespace patchbay::core::json {

class Validation {
 public:
  explicit Validation(const CheckOptions& options) : options_(options), path_(options.path) {}

  // Adds exactly one value to the result, even if `value` is invalid.
  void run(const Rule& rule, const Node& value);
  Checked take_result() {
    return {builder_.finish(), std::move(violations_), std::move(advice_), not_listed_};
  }

 private:
  void number(const Rule& rule, const Node& value);
  void text(const Rule& rule, std::string_view value, uint32_t origin);
  bool text_is_good(const Rule& rule, std::string_view value, uint32_t origin);
  void array(const Rule& rule, const Node& value);
  void object(const Rule& rule, const Node& value);
  void property(const Property& property, const Node& object);
  void extras(const Rule& rule, const Node& object);
  void unknown(const Rule& rule, const Member& member);
  void secret(const Rule& rule, const Node& value);
  void wrong_type(const Rule& rule, const Node& value);
  // Handles an integer beyond int64_t where the rule asks for an integer. False: `value` is not one.
  bool huge_integer(const Rule& rule, const Node& value);
  // Copies a value that no rule describes.
  void free_value(const Node& value);

  // Finds the member for the property: by its name, in requests also with the first letter in the other case.
  const Node* find_member(const Property& property, const Node& object);
  bool known(const Rule& rule, std::string_view key) const;
  bool is_absent(const Rule& rule, const Node* value) const;
  void add_violation(uint32_t origin, std::string text, std::string hint = {});
  bool config() const { return options_.mode == Mode::config; }

  // Adds a step to the path until the end of the scope.
  class Step;

  const CheckOptions& options_;
  std::string path_;
  Builder builder_;
  std::vector<Violation> violations_;
  std::vector<Violation> advice_;
  size_t not_listed_ = 0;  // violations beyond the limit
};

}  // namespace patchbay::core::json
