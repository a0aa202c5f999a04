#include "login/cookies.h"

#include <doctest/doctest.h>

using namespace patchbay::identity;

namespace {

Tenant tenant_of(const char* issuer) {
  Tenant tenant;
  tenant.issuer = issuer;
  return tenant;
}

}  // namespace

TEST_CASE("cookies belong to the host under https") {
  CHECK(set_cookie(tenant_of("https://a.example"), "session", "x") ==
        "__Host-patchbay-session=x; Path=/; HttpOnly; SameSite=Lax; Secure");
  CHECK(set_cookie(tenant_of("http://a.example"), "session", "") ==
        "patchbay-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
}

TEST_CASE("a cookie is read only as this server sets it") {
  const Tenant tenant = tenant_of("http://a.example");
  const std::string value(43, 'a');
  CHECK(cookie_value("patchbay-session=" + value, tenant, "session") == value);
  CHECK(cookie_value("x=1; patchbay-session=" + value + " ; y", tenant, "session") == value);
  for (const std::string& header :
       {std::string(), std::string("patchbay-session"), std::string(";;=;"),
        "patchbay-session=" + value + "a", "patchbay-session=\"" + value + "\"", "Patchbay-Session=" + value,
        "xpatchbay-session=" + value, "__Host-patchbay-session=" + value,
        "patchbay-session=" + std::string(43, '.')})
    CHECK_MESSAGE(cookie_value(header, tenant, "session") == "", header);
  CHECK(cookie_value("__Host-patchbay-session=" + value, tenant_of("https://a.example"), "session") == value);
}
