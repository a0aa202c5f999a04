// HttpClient: HTTP through libcurl, over TCP, TLS or a Unix socket. One thread at a time; every request waits
// at most a minute.
//
//   HttpClient http = HttpClient::of(server);                  // the rest-api of a TestServer
//   REQUIRE(http.wait_for("POST", "/api.ashx/v1/calls"));      // routes come when their plugins run
//   auto answer = http.ask("POST", "/api.ashx/v1/calls", body, {"Authorization: Bearer " + token});
#pragma once

#include <map>
#include <string>
#include <vector>

namespace patchbay::test {

class TestServer;

struct HttpAnswer {
  long status = 0;                             // 0: none, see error
  std::map<std::string, std::string> headers;  // lower-case names; the last one of several with the same name
  std::string body;
  std::string error;
};

class HttpClient {
 public:
  using Headers = std::vector<std::string>;  // "Name: value"

  // "http://127.0.0.1:8080"; certificates are not checked.
  explicit HttpClient(std::string base_url, std::string unix_socket = {})
      : base_url_(std::move(base_url)), unix_socket_(std::move(unix_socket)) {}
  // The address in the server's listening.json: "public", "management" or "admin".
  static HttpClient of(const TestServer& server, const std::string& which = "public");

  const std::string& base_url() const noexcept { return base_url_; }

  // `target` is sent unchanged: path and query, encoded by the caller.
  HttpAnswer ask(const std::string& method, const std::string& target, const std::string& body = {},
                 const Headers& headers = {}) const;
  HttpAnswer get(const std::string& target, const Headers& headers = {}) const {
    return ask("GET", target, {}, headers);
  }
  HttpAnswer post(const std::string& target, const std::string& body, const Headers& headers = {}) const {
    return ask("POST", target, body, headers);
  }

  // Waits at most a minute until the path serves the method. Sends OPTIONS, which needs no bearer.
  bool wait_for(const std::string& method, const std::string& target) const;

 private:
  std::string base_url_;
  std::string unix_socket_;
};

}  // namespace patchbay::test
