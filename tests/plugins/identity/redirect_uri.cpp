#include "redirect_uri.h"

#include <doctest/doctest.h>

using namespace patchbay::identity;

TEST_CASE("redirect URIs are https, loopback or a private scheme") {
  for (const char* uri : {"https://app.example/cb", "https://app.example:8443/cb?a=b", "https://app.example",
                          "http://localhost:3000/cb", "http://127.0.0.1/cb", "http://[::1]:8080/cb",
                          "com.example.app:/cb", "com.example.app://cb"})
    CHECK_MESSAGE(check_redirect_uri(uri).ok(), uri);
  for (const char* uri : {"",
                          "/cb",
                          "app.example/cb",
                          "http://app.example/cb",
                          "http://127.0.0.2/cb",
                          "ftp://app.example/cb",
                          "javascript:alert(1)",
                          "data:text/html,x",
                          "https:app.example",
                          "https://",
                          "https://a b/cb",
                          "https://app.example/#x",
                          "https://u@app.example/",
                          "https://app.example:0/",
                          "https://app.example:99999/",
                          "https://app.example:/",
                          "https://app;x.example/",
                          "https://app.example/\"",
                          "https://*.example/",
                          "https://app.example/\\",
                          "https://app.example/\x7f",
                          "https://app.example/\xc3\xa9"})
    CHECK_MESSAGE(!check_redirect_uri(uri).ok(), uri);
  CHECK_FALSE(check_redirect_uri("https://app.example/" + std::string(2048, 'x')).ok());
}

TEST_CASE("a requested URI is the registered one, but for the port of a loopback address") {
  CHECK(matches_redirect_uri("https://app.example/cb", "https://app.example/cb"));
  CHECK(matches_redirect_uri("http://127.0.0.1/cb", "http://127.0.0.1:49152/cb"));
  CHECK(matches_redirect_uri("http://127.0.0.1:80/cb?x", "http://127.0.0.1:81/cb?x"));
  CHECK(matches_redirect_uri("http://[::1]/cb", "http://[::1]:49152/cb"));
  for (const char* uri : {"https://app.example/cb/", "https://APP.example/cb", "https://app.example:443/cb",
                          "https://app.example/cb?", "https://app.example/CB"})
    CHECK_FALSE(matches_redirect_uri("https://app.example/cb", uri));
  for (const char* uri :
       {"http://127.0.0.1:1/cb/", "http://127.0.0.2/cb", "https://127.0.0.1/cb", "http://[::1]/cb",
        "http://127.0.0.1:1/cb#x", "http://127.0.0.1:x/cb", "http://127.0.0.1:1@evil.example/cb"})
    CHECK_FALSE(matches_redirect_uri("http://127.0.0.1/cb", uri));
  CHECK_FALSE(matches_redirect_uri("http://localhost/cb", "http://localhost:1/cb"));
}

TEST_CASE("a policy names the origin, or the scheme where it has none") {
  CHECK(policy_source("https://app.example:8443/cb?x=1") == "https://app.example:8443");
  CHECK(policy_source("http://127.0.0.1:5/cb") == "http://127.0.0.1:5");
  CHECK(policy_source("http://[::1]:5/cb") == "http:");
  CHECK(policy_source("com.example.app:/cb") == "com.example.app:");
}

TEST_CASE("parameters are appended to the query") {
  CHECK(with_parameters("https://a.example/cb", {{"code", "a b&c"}, {"state", ""}, {"iss", "x"}}) ==
        "https://a.example/cb?code=a%20b%26c&iss=x");
  CHECK(with_parameters("https://a.example/cb?x=1", {{"code", "1"}}) == "https://a.example/cb?x=1&code=1");
  CHECK(with_parameters("https://a.example/cb?", {{"code", "1"}}) == "https://a.example/cb?code=1");
  CHECK(with_parameters("https://a.example/cb", {}) == "https://a.example/cb");
}
