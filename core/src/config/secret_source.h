// Resolves a secret of the configuration: a literal, or kept in a file or an environment variable.
#pragma once

#include <functional>
#include <string>

#include "config/environment.h"
#include "json/document.h"
#include "patchbay/result.h"

namespace patchbay::core::config {

class SecretSource {
 public:
  // `complete` turns a path of the configuration into one to open.
  SecretSource(const Environment& environment, std::function<std::string(std::string_view)> complete)
      : environment_(environment), complete_(std::move(complete)) {}

  // Returns a string as it is; for {file: path} the content without trailing newlines; for {env: NAME} the
  // variable. The error continues a sentence that begins with the key's path: "must be ...". Sets `warning`
  // when all users may read the file.
  Result<std::string> resolve(const json::Node& node, std::string& warning) const;

 private:
  Result<std::string> read_file(const std::string& path, std::string& warning) const;

  const Environment& environment_;
  std::function<std::string(std::string_view)> complete_;
};

}  // namespace patchbay::core::config
