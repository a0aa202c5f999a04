// A secret of the configuration: written out, or kept in a file or an environment variable.
#pragma once

#include <functional>
#include <string>

#include "config/environment.h"
#include "json/document.h"
#include "patchbay/result.h"

namespace patchbay::core::config {

constexpr size_t kMaxSecretBytes = 64 << 10;

class SecretSource {
 public:
  // `complete` turns a file name as written into one to open.
  SecretSource(const Environment& environment, std::function<std::string(std::string_view)> complete)
      : environment_(environment), complete_(std::move(complete)) {}

  // A string as it is; {file: path} its content without the newlines at the end; {env: NAME} that variable.
  // The error reads on after the key's path: "must be ...". `warning` is set when everybody may read the
  // file.
  Result<std::string> resolve(const json::Node& node, std::string& warning) const;

 private:
  Result<std::string> read_file(const std::string& path, std::string& warning) const;

  const Environment& environment_;
  std::function<std::string(std::string_view)> complete_;
};

}  // namespace patchbay::core::config
