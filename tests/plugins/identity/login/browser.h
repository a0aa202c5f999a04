// A browser at the login page: keeps cookies, fills in forms. And a server with clients that get codes.
#pragma once

#include <patchbay/base64.h>
#include <patchbay/percent_encoding.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

#include "plugins/identity/identity_server.h"

namespace identity_test {

inline constexpr char kClients[] = R"(
      clients:
        - patchbay-admin
        - id: portal
          name: Customer portal
          redirectUris: ["https://portal.example/cb", "http://127.0.0.1/native"]
          postLogoutRedirectUris: ["https://portal.example/bye"]
        - {id: wiki, redirectUris: ["https://wiki.example/cb?x=1"]}
)";

struct LoginServer {
  core::ManualClock clock;
  test::TestServer core{config(users() + kClients), &clock, {probe::entry()}};
  LoginServer() { REQUIRE(core.start_error() == ""); }
};

using Fields = std::map<std::string, std::string>;

// Of RFC 7636, appendix B.
inline constexpr char kVerifier[] = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
inline constexpr char kChallenge[] = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
inline constexpr char kAuthorize[] = "/oidc.ashx/authorize", kLogout[] = "/oidc.ashx/logout";

// A valid authorization request of the client portal; `changes` replace fields, "" leaves one out.
inline Fields authorization(const Fields& changes = {}) {
  Fields fields = {{"response_type", "code"},
                   {"client_id", "portal"},
                   {"redirect_uri", "https://portal.example/cb"},
                   {"scope", "openid offline_access email"},
                   {"state", "s t&a=te"},
                   {"nonce", "n-1"},
                   {"code_challenge", kChallenge},
                   {"code_challenge_method", "S256"}};
  for (const auto& [name, value] : changes) fields[name] = value;
  return fields;
}

inline std::string form_of(const Fields& fields) {
  std::string form;
  for (const auto& [name, value] : fields) {
    if (value.empty()) continue;
    if (!form.empty()) form += '&';
    form.append(percent_encode(name)).append("=").append(percent_encode(value));
  }
  return form;
}

struct Page {
  http::Response response;
  int64_t status() const { return response.status; }
  std::string header(const char* name) const { return std::string(response.headers.text(name)); }
  std::string location() const { return header("Location"); }
  bool has(const std::string& text) const { return response.body.find(text) != std::string::npos; }
  // The value of an attribute behind `before`.
  std::string value(const std::string& before) const {
    const size_t at = response.body.find(before);
    if (at == std::string::npos) return {};
    const size_t begin = response.body.find("value=\"", at) + 7;
    return response.body.substr(begin, response.body.find('"', begin) - begin);
  }
  std::string ticket() const { return value("name=\"ticket\""); }
  // A parameter of the redirect, decoded.
  std::string sent(const std::string& name) const {
    std::string query = location();
    query = "&" + query.substr(std::min(query.find('?'), query.size() - 1) + 1);
    const size_t at = query.find("&" + name + "=");
    if (at == std::string::npos) return {};
    const size_t begin = at + name.size() + 2;
    return percent_decode(query.substr(begin, query.find('&', begin) - begin)).value_or("?");
  }
};

class Browser {
 public:
  explicit Browser(std::string remote = "192.0.2.7", std::string tenant = kTenantA)
      : remote_(std::move(remote)), tenant_(std::move(tenant)) {}

  Page get(const char* path, const Fields& query) {
    http::Request request = begin();
    for (const auto& [name, value] : query)
      if (!value.empty()) request.query.add(name, value);
    return ask("GET", path, request);
  }
  Page post(const char* path, const Fields& form) {
    http::Request request = begin();
    request.body = Buffer::copy(form_of(form));
    return ask("POST", path, request);
  }
  // Opens the login page and sends its form.
  Page sign_in(const std::string& username = "alice", const std::string& password = "alice's",
               const Fields& changes = {}) {
    const Page page = get(kAuthorize, authorization(changes));
    CHECK(page.status() == 200);
    return submit(page, username, password);
  }
  Page submit(const Page& page, const std::string& username, const std::string& password) {
    return post(kAuthorize, {{"ticket", page.ticket()}, {"username", username}, {"password", password}});
  }

  std::map<std::string, std::string> cookies;

 private:
  http::Request begin() const {
    http::Request request;
    request.tenant = tenant_;
    request.remote = remote_;
    std::string header;
    for (const auto& [name, value] : cookies) header += (header.empty() ? "" : "; ") + name + "=" + value;
    if (!header.empty()) request.headers.add("cookie", header);
    return request;
  }
  Page ask(const char* method, const char* path, const http::Request& request) {
    auto response = probe::ask(method, path, request);
    if (!response) FAIL(response.error().text);
    for (const auto& [name, value] : response->headers) {
      if (name != "Set-Cookie") continue;
      const std::string text(value), pair = text.substr(0, text.find(';'));
      const size_t equals = pair.find('=');
      if (text.find("Max-Age=0") != std::string::npos)
        cookies.erase(pair.substr(0, equals));
      else
        cookies[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    return {*response};
  }

  std::string remote_, tenant_;
};

inline http::Response exchange(const std::string& code, const Fields& changes = {},
                               const std::string& remote = "192.0.2.7") {
  Fields fields = {{"grant_type", "authorization_code"},
                   {"client_id", "portal"},
                   {"code", code},
                   {"redirect_uri", "https://portal.example/cb"},
                   {"code_verifier", kVerifier}};
  for (const auto& [name, value] : changes) fields[name] = value;
  return token_response(post(form_of(fields), kTenantA, remote));
}

// The claims of a token, as JSON.
inline std::string claims_of(const std::string& token) {
  const size_t first = token.find('.'), second = token.find('.', first + 1);
  return from_base64url(token.substr(first + 1, second - first - 1)).value_or("");
}
inline std::string claim(const std::string& token, const char* name) {
  const auto claims = json_without_host(claims_of(token));
  return claims ? std::string((*claims)[name].text()) : std::string();
}

}  // namespace identity_test
