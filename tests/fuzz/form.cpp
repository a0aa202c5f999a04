// Form bodies: an accepted form contains no NUL, and each of its fields is found.
#include "form.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto form = patchbay::identity::Form::parse({reinterpret_cast<const char*>(data), size});
  if (!form) return 0;
  for (const char* name : {"grant_type", "username", "password", ""})
    if ((*form)[name].find('\0') != std::string::npos) std::abort();
  return 0;
}
