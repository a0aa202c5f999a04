// Validates a file's values against a schema and turns violations into problems with line numbers. Internal
// to load() and check().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "json/schema.h"

namespace patchbay::core::config {

// Returns the absolute path of `path`, which is relative to the folder of `file`.
std::string resolve_path(const std::string& file, std::string_view path);

class SchemaValidator {
 public:
  explicit SchemaValidator(const Sources& sources) : sources_(sources) {}

  // Applies the environment to `root` and validates all of it. The result is valid when problems() is empty.
  json::Document run(const std::string& file_schema, Value root);

  void problem(const Mark& mark, std::string path, std::string text, std::string hint = {});
  // In file order, at most kMaxProblems.
  std::vector<Problem> problems();
  std::vector<Problem>& warnings() { return warnings_; }
  std::vector<std::string>& secrets() { return secrets_; }
  const Mark& mark(uint32_t origin) const { return marks_.mark(origin); }
  bool failed() const { return !problems_.empty(); }
  void add(const std::vector<Problem>& problems) {
    problems_.insert(problems_.end(), problems.begin(), problems.end());
  }

 private:
  Result<std::string> secret(const json::Node& node);
  Problem make_problem(const Mark& mark, std::string path, std::string text, std::string hint) const;

  // borrowed
  const Sources& sources_;
  // state
  SourceMap marks_;
  std::vector<Problem> problems_;
  std::vector<Problem> warnings_;
  std::vector<std::string> secrets_;
};

Server to_server(const json::Node& root, const Sources& sources);

}  // namespace patchbay::core::config
