// A compiled schema: one Rule per schema object. Internal to the validator.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "json/schema_pattern.h"
#include "patchbay/result.h"

namespace patchbay::core::json {

struct Property;

struct Rule {
  enum class Format : uint8_t { none, uri, date_time };
  enum class Extra : uint8_t { by_mode, allow, refuse, checked };
  // One bit per Type, and one for numbers that must be integers.
  static constexpr uint8_t kInteger = 0x40;
  static constexpr uint8_t bit(Type type) { return static_cast<uint8_t>(1u << static_cast<unsigned>(type)); }
  static constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

  uint8_t types = 0;  // 0: any
  Format format = Format::none;
  Extra extra = Extra::by_mode;
  bool ignore_case = false;
  bool snap = false;
  bool secret = false;
  bool file_path = false;
  const Node* minimum = nullptr;
  const Node* maximum = nullptr;
  const Node* default_value = nullptr;
  const Node* example = nullptr;  // the first one
  std::string message;            // x-rule: completes "must ..." in place of the pattern
  size_t min_length = 0, max_length = kNoLimit;
  size_t advised_length = 0;  // a shorter text is accepted, with advice
  size_t min_items = 0, max_items = kNoLimit;
  std::optional<Pattern> pattern;
  std::vector<const Node*> choices;  // of enum or const; empty: any
  std::vector<Property> properties;
  bool has_properties = false;
  std::unique_ptr<Rule> items;
  std::unique_ptr<Rule> additional;

  bool allows(const Node& value) const noexcept;
  bool takes_null() const noexcept;  // as a value, rather than as absence
  std::string type_names() const;    // "a string or null"
};

struct Property {
  std::string name;
  Rule rule;
  bool required = false;
};

Result<Rule> compile_rule(const Node& schema);

}  // namespace patchbay::core::json
