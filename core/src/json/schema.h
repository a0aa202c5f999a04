// Validates values against a subset of JSON Schema and returns them in canonical form. One validator serves
// plugin configuration and REST bodies; Mode says where they differ.
//
// Keywords: type (one or several), properties, required, items, enum, const, minimum, maximum, minLength,
// maxLength (code points), minItems, maxItems, pattern (a search, on bytes, in at most 1024), format (uri,
// date-time; others are annotations), default, additionalProperties, example and examples (shown in
// messages); x-rule (completes "must ..." in the message of a pattern, which is itself never shown),
// x-ignore-case (enum of strings), x-snap (clamps a number to its bounds instead of refusing it), x-secret
// and x-path (see CheckOptions), x-advised-length (code points; a shorter text is accepted, with advice).
// title, description, deprecated, readOnly, writeOnly, $schema, $id and other x-* are annotations, which the
// validator ignores. It refuses any other keyword, because a typing error could otherwise switch a check off.
//
// A default is checked like a value: `"default": {}` fills in the defaults of what is inside. Strings and
// names with NUL are refused everywhere, because neither tables nor C strings can hold them. A null that no
// rule names counts as absent.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "json/limits.h"
#include "patchbay/result.h"

namespace patchbay::core::json {

enum class Mode : uint8_t {
  // Unknown members are refused unless additionalProperties allows them.
  config,
  // Unknown members are dropped; a name may be written maxSeconds or MaxSeconds, but not both.
  request,
};

struct Violation {
  std::string path;     // "trunks[0].host"; "" for the whole value
  std::string text;     // "must be at least 10"; never the value itself
  std::string hint;     // what to write instead; may be empty
  uint32_t origin = 0;  // Node::origin of the value, or of the object that lacks a member; 0: a default

  std::string sentence() const;  // "maxSeconds must be an integer; for example 600"
  std::string without_hint() const;
};

struct CheckOptions {
  Mode mode = Mode::request;
  std::string path = {};                   // prefix of every path
  size_t max_violations = kMaxViolations;  // further ones are only counted

  // Returns how the scalar at this origin was written, if it was not a string. Lets YAML's 0049 be a string
  // where the schema asks for one.
  std::function<std::optional<std::string_view>(uint32_t origin)> spelling = {};

  // Resolves the value at an x-secret to its text. Without it, only a string is accepted.
  std::function<Result<std::string>(const Node&)> secret = {};

  // Completes the file name at an x-path.
  std::function<std::string(std::string_view)> file_path = {};
};

struct Checked {
  // Names and order as in the schema, defaults filled in; null in place of an invalid part.
  Document value;
  std::vector<Violation> violations;
  std::vector<Violation> advice;  // accepted, but probably not intended
  size_t not_listed = 0;          // violations beyond CheckOptions::max_violations

  bool ok() const noexcept { return violations.empty(); }
  // The violations as one Error of Code::invalid. If they have more than `max_bytes` they are without hints,
  // and those that do not fit are counted at the end ("And 2 more faults: voice, language").
  Error error(size_t max_bytes = std::string::npos) const;
};

struct Rule;

// Immutable once compiled; any thread may check with it.
class Schema {
 public:
  // Accepts everything.
  Schema();
  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  static Result<Schema> compile(std::string_view text);
  static Result<Schema> compile(const Node& schema);

  Checked check(const Node& value, const CheckOptions& options) const;

  // Fails if a default violates its own rule: otherwise values that leave it out would be refused with an
  // error that blames their author.
  Status check_defaults() const;

 private:
  Document source_;  // defaults and enum values are nodes of it
  std::unique_ptr<Rule> rule_;
};

}  // namespace patchbay::core::json
