// SharedLibrary: a large library that is loaded at its first use rather than linked, because most servers
// never use it, and it would cost each of them time at the start and memory.
#pragma once

#include <patchbay/result.h>

namespace patchbay::lib {

class SharedLibrary {
 public:
  // [any, may block] Loads the library of this name ("libcurl.so.4") for the life of the process. `package`:
  // the Debian package that has it, for the error. Code::unavailable: it cannot be loaded.
  static Result<SharedLibrary> load(const char* name, const char* package);

  // Sets `function` to the library's function of this name. Code::unavailable: it has none.
  template <class F>
  Status find(const char* name, F*& function) const {
    PB_TRY_VALUE(void* found, find(name));
    function = reinterpret_cast<F*>(found);
    return {};
  }

 private:
  SharedLibrary(const char* name, const char* package, void* handle)
      : name_(name), package_(package), handle_(handle) {}
  Result<void*> find(const char* function) const;

  const char* name_;
  const char* package_;
  void* handle_;
};

}  // namespace patchbay::lib
