// The plugins of the matrix in the real core, which g++ has built over libstdc++.
#include <doctest/doctest.h>

#include <string>

#include "promise/live.h"
#include "promise/loaded.h"

namespace {

using patchbay::test::loaded;
using patchbay::test::TestServer;

void reference(const std::string& build) {
  TestServer server(patchbay::test::yaml("moin"), nullptr,
                    {probe::entry(), loaded(MATRIX_PLUGINS "/" + build + ".so")});
  patchbay::test::live(server);
}

void in_c(const std::string& build) {
  TestServer server("plugins: {c-plugin: {}}\ntenants: {localhost: {}}\n", nullptr,
                    {loaded(MATRIX_PLUGINS "/" + build + ".so")});
  CHECK(server.start_error() == "");
  server.core().drain();
  CHECK(server.core().stop().ok());
}

}  // namespace

TEST_CASE("a plugin of g++ in C++17 runs in the core") { reference("gcc-cxx17"); }
TEST_CASE("a plugin of g++ in C++20 runs in the core") { reference("gcc-cxx20"); }
TEST_CASE("a plugin of g++ with debug containers runs in the core") { reference("gcc-debug"); }
TEST_CASE("a plugin of clang over libstdc++ runs in the core") { reference("clang-libstdcxx"); }
TEST_CASE("a plugin of clang with a libc++ of its own runs in the core") { reference("clang-libcxx"); }
TEST_CASE("a plugin of clang without exceptions and RTTI runs in the core") {
  reference("clang-libcxx-bare");
}
TEST_CASE("a plugin in C11 runs in the core") {
  in_c("gcc-c11");
  in_c("clang-c11");
}
TEST_CASE("a plugin that needs a shared libc++ is refused with the cure") {
  TestServer server("plugins: {reference-plugin: {}}\ntenants: {localhost: {}}\n", nullptr, {},
                    {{"reference-plugin", MATRIX_PLUGINS "/clang-libcxx-shared.so"}});
  CHECK(server.start_error() ==
        "reference-plugin not started: it is linked to a shared libc++, which cannot live beside this core's "
        "libstdc++; link it with -static-libstdc++ or -nostdlib++ and the static libc++");
}
