// Bodies of type application/x-www-form-urlencoded, from anybody. Pure, any thread.
#pragma once

#include <patchbay/result.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace patchbay::identity {

class Form {
 public:
  static constexpr size_t kLongestBody = 16 * 1024;

  // Refused: more than kLongestBody or 64 fields, a field twice (RFC 6749 3.2), a broken escape, NUL.
  static Result<Form> parse(std::string_view body);

  // "" when absent: RFC 6749 3.2 reads a field without a value as absent.
  const std::string& operator[](std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> fields_;
};

}  // namespace patchbay::identity
