// Parses bodies of type application/x-www-form-urlencoded, from untrusted clients. Pure; any thread.
#pragma once

#include <patchbay/name_values.h>
#include <patchbay/result.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace patchbay::identity {

class Form {
 public:
  // Error invalid: more than kMaxFormBytes or kMaxFormFields, a repeated field (RFC 6749 3.2), an invalid
  // escape, NUL, text that is not UTF-8. It has the name of the field, if that is one of letters and digits.
  static Result<Form> parse(std::string_view body);
  // The first value of each name.
  static Form of(const NameValues& values);

  // Returns "" for an absent field, because RFC 6749 3.2 treats a field without a value as absent.
  const std::string& operator[](std::string_view name) const;
  const std::map<std::string, std::string, std::less<>>& fields() const noexcept { return fields_; }

 private:
  std::map<std::string, std::string, std::less<>> fields_;
};

}  // namespace patchbay::identity
