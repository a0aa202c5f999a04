#include "config/position.h"

#include <doctest/doctest.h>

#include <string>

#include "config/yaml.h"

using namespace patchbay::core::config;

namespace {

constexpr char kYaml[] = R"(plugins:
  identity: {}
tenants:
  a:
    identity: {}
  a.example:
    identity:
      clients:
        - patchbay-admin
        - id: portal
          redirectUris:
            - https://a.example/cb
            - http://a.example/cb
)";

int line_of(const std::string& error) {
  Problem problem;
  const auto root = read_yaml(kYaml, problem);
  REQUIRE(root);
  return position_of(*root, error).line;
}

}  // namespace

TEST_CASE("an error is about the deepest key that its path names") {
  CHECK(line_of("tenants.a.example.identity.clients[1].redirectUris[1]: must be https") == 13);
  CHECK(line_of("tenants.a.example.identity.clients[1].id must be printable") == 10);
  CHECK(line_of("tenants.a.example.identity.clients[0]: is defined twice") == 9);
  CHECK(line_of("tenants.a.example.identity: clients[0]: x") == 7);
  CHECK(line_of("tenants.a.example.identity.unknown.more: x") == 7);
  CHECK(line_of("tenants.a.identity: x") == 5);
  CHECK(line_of("plugins.identity") == 2);
}

TEST_CASE("an error without a path of the file has no position") {
  for (const char* error : {"", "user alice needs a password", "tenantsx", "[0]", ".", "nothing.here"})
    CHECK(line_of(error) == 0);
  for (const char* error : {"tenants.a.example.identity.clients[2]", "tenants.a.example.identity.clients[x]",
                            "tenants.a.example.identity.clients[1", "tenants.a.example.identity.clients[-1]"})
    CHECK(line_of(error) == 8);
}
