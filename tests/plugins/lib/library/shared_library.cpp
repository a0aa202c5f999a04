#include "library/shared_library.h"

#include <doctest/doctest.h>

using patchbay::lib::SharedLibrary;

TEST_CASE("a function of a library that is not linked is found and can be called") {
  const auto library = SharedLibrary::load("libz.so.1", "zlib1g");
  REQUIRE(library.ok());
  const char* (*version)() = nullptr;
  REQUIRE(library->find("zlibVersion", version).ok());
  CHECK(version()[0] == '1');
}

TEST_CASE("the error for a missing library or function names the package") {
  const auto missing = SharedLibrary::load("libno-such-library.so.7", "libno-such-library7");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == patchbay::Code::unavailable);
  CHECK(missing.error().text.find("install libno-such-library7") != std::string::npos);

  const auto library = SharedLibrary::load("libz.so.1", "zlib1g");
  REQUIRE(library.ok());
  void (*function)() = nullptr;
  const auto found = library->find("no_such_function", function);
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().text.find("install zlib1g") != std::string::npos);
}
