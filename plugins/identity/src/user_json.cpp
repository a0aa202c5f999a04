#include "user_json.h"

#include <patchbay/text.h>
#include <patchbay/utc.h>

#include <algorithm>

#include "identity_limits.h"

namespace patchbay::identity {

std::string user_schema(const std::string& more) {
  return R"({"type":"object","required":["username","displayName","role","disabled","source","tenant",
    "hasSipPassword","createdAtUtc","createdBy"],"properties":{
    "username":{"type":"string"},"displayName":{"type":"string"},
    "role":{"type":"string","enum":["admin","user"]},"disabled":{"type":"boolean"},
    "source":{"type":"string","enum":["config","api"],"description":"config: read-only"},
    "tenant":{"type":"string"},"hasSipPassword":{"type":"boolean"},
    "createdAtUtc":{"type":"string","description":"empty for source config"},
    "createdBy":{"type":"string","description":"empty for source config"})" +
         more + "}}";
}

JsonWriter& write_members(JsonWriter& body, const User& user, const Account& account) {
  return body.member("username", user.name)
      .member("displayName", user.display_name)
      .member("role", user.role)
      .member("disabled", user.disabled)
      .member("source", user.stored ? "api" : "config")
      .member("tenant", user.tenant)
      .member("hasSipPassword", !account.sealed_sip_password.empty())
      .member("createdAtUtc", user.stored ? utc_text(user.created_ms) : std::string())
      .member("createdBy", user.created_by);
}

std::string user_json(const User& user, const Account& account) {
  JsonWriter body;
  write_members(body.object(), user, account).end();
  return std::move(body).str();
}

bool is_user_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxUserNameBytes || !is_alphanumeric(name.front())) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return is_alphanumeric(c) || std::string_view("._@+-").find(c) != std::string_view::npos;
  });
}

}  // namespace patchbay::identity
