// The plugins of the matrix in the real core, built by g++ with libstdc++.
#include <doctest/doctest.h>

#include <string>

#include "compatibility/lifecycle.h"
#include "compatibility/load_plugin.h"

namespace {

using patchbay::test::load_plugin;
using patchbay::test::TestServer;

void reference(const std::string& build) {
  TestServer server(patchbay::test::yaml("moin"), nullptr,
                    {probe::entry(), load_plugin(MATRIX_PLUGINS "/" + build + ".so")});
  patchbay::test::run_lifecycle(server);
}

void in_c(const std::string& build) {
  TestServer server("plugins: {c-plugin: {}}\ntenants: {localhost: {}}\n", nullptr,
                    {load_plugin(MATRIX_PLUGINS "/" + build + ".so")});
  CHECK(server.start_error() == "");
  server.core().drain();
  CHECK(server.core().stop().ok());
}

}  // namespace

TEST_CASE("a plugin of g++ in C++17 runs in the core") { reference("gcc-cxx17"); }
TEST_CASE("a plugin of g++ in C++20 runs in the core") { reference("gcc-cxx20"); }
TEST_CASE("a plugin of g++ with debug containers runs in the core") { reference("gcc-debug"); }
TEST_CASE("a plugin of clang with libstdc++ runs in the core") { reference("clang-libstdcxx"); }
TEST_CASE("a plugin of clang with a static libc++ runs in the core") { reference("clang-libcxx"); }
TEST_CASE("a plugin of clang without exceptions and RTTI runs in the core") {
  reference("clang-libcxx-bare");
}
TEST_CASE("a plugin in C11 runs in the core") {
  in_c("gcc-c11");
  in_c("clang-c11");
}
TEST_CASE("a plugin that needs a shared libc++ is refused with the fix") {
  TestServer server("plugins: {reference-plugin: {}}\ntenants: {localhost: {}}\n", nullptr, {},
                    {{"reference-plugin", MATRIX_PLUGINS "/clang-libcxx-shared.so"}});
  CHECK(server.start_error() ==
        "reference-plugin not started: it is linked to a shared libc++, which cannot live beside this core's "
        "libstdc++; link it with -static-libstdc++ or -nostdlib++ and the static libc++");
}
