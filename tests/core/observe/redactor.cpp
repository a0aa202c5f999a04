#include "observe/redactor.h"

#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using patchbay::core::observe::Redactor;
using patchbay::core::observe::SecretFrom;

TEST_CASE("secrets are redacted anywhere in a text") {
  Redactor redactor;
  CHECK(redactor.add("hunter22"));
  CHECK(redactor.value("hunter22") == "[redacted]");
  CHECK(redactor.value("key=hunter22, again hunter22!") == "key=[redacted], again [redacted]!");
  CHECK(redactor.value("hunter2") == "hunter2");
  CHECK(redactor.value("") == "");
}

TEST_CASE("of two secrets with a common prefix the longer one is redacted") {
  Redactor redactor;
  redactor.add("secret-1");
  redactor.add("secret-1-and-more");
  redactor.add("secret-2");
  CHECK(redactor.value("secret-1-and-more secret-1 secret-2 secret-3") ==
        "[redacted] [redacted] [redacted] secret-3");
}

TEST_CASE("a secret is redacted until it was removed as often as added") {
  Redactor redactor;
  redactor.add("hunter22");
  redactor.add("hunter22");
  redactor.remove("hunter22");
  CHECK(redactor.value("hunter22") == "[redacted]");
  redactor.remove("hunter22");
  CHECK(redactor.value("hunter22") == "hunter22");
  redactor.remove("hunter22");
  redactor.remove("x");
}

TEST_CASE("short values are not redacted") {
  Redactor redactor;
  CHECK_FALSE(redactor.add("12345"));
  CHECK_FALSE(redactor.add(""));
  CHECK(redactor.value("12345") == "12345");
}

TEST_CASE("secret names are recognised in every spelling") {
  for (const char* name : {"apiKey", "X-Api-Key", "API_KEY", "password", "userPassword", "refresh_token",
                           "Authorization", "Proxy-Authorization", "AdminSharedSecret", "Set-Cookie"})
    CHECK(Redactor::is_secret_name(name));
  for (const char* name : {"promptTokens", "key", "keyId", "secretary", "", "callId"})
    CHECK_FALSE(Redactor::is_secret_name(name));
}

TEST_CASE("secrets are added and removed while other threads write") {
  Redactor redactor;
  redactor.add("constant-secret");
  std::atomic<int> leaks{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const std::string own = "temporary-" + std::to_string(t);
      for (int i = 0; i < 500; ++i) {
        redactor.add(own);
        if (redactor.value("x constant-secret " + own) != "x [redacted] [redacted]") ++leaks;
        redactor.remove(own);
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(leaks == 0);
}

TEST_CASE("a value that a tenant chose freely is not redacted") {
  Redactor redactor;
  for (const char* weak :
       {"a sign-in was refused", "voice.example.com", "a.test", "administrator", "198.51.100.123",
        "AAAAAAAAAAAAAAAAAAAAAAAA", "very-long-host-name-of.another-tenant.example", "short1Aa",
        "a sentence That Is Long Enough", "Firstname.Lastname@acme.example", "Firstname-Lastname-Of-Acme",
        "Firstname.Lastname.1970.Acme.Example", "0123456789abcdefABCDEF@acme.example",
        "Voice1.Long-Host-Name-Of.Acme2024.Example:5060"})
    CHECK_FALSE(redactor.add(weak, SecretFrom::plugin));
  for (const char* strong : {"AIzaSyA-1234567890abcdefghijklmnopqrstu", "0123456789abcdef0123456789abcdef",
                             "AQ.Ab8RN6KlmnopqrstuVWXYZ0123456789abcdefghij", "x3Jk9Lq2Vb7Nm4Rt"}) {
    CHECK(redactor.add(strong, SecretFrom::plugin));
    CHECK(redactor.value("x " + std::string(strong)) == "x [redacted]");
    redactor.remove(strong, SecretFrom::plugin);
    CHECK(redactor.value(strong) == strong);
  }
}

TEST_CASE("a long name with a digit and no dot is taken for a secret, as generated tokens look like it") {
  Redactor redactor;
  CHECK(redactor.add("Firstname_Lastname1", SecretFrom::plugin));
  CHECK(redactor.value("Firstname_Lastname1") == "[redacted]");
  CHECK(redactor.sentence("Firstname_Lastname1") == "Firstname_Lastname1");
  // The operator's own choice is hidden everywhere, even when it is an ordinary word.
  CHECK(redactor.add("Firstname_Lastname1", SecretFrom::config));
  CHECK(redactor.add("whatever", SecretFrom::config));
  CHECK(redactor.sentence("Firstname_Lastname1 says whatever") == "[redacted] says [redacted]");

  // Why '-' and '_' separate no parts: base64url has them.
  std::mt19937 random(1);
  const std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  int taken = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string token;
    while (token.size() < 22) token += alphabet[random() % alphabet.size()];
    taken += Redactor().add(token, SecretFrom::plugin) ? 1 : 0;
  }
  CHECK(taken > 950);
}

TEST_CASE("in sentences, which are constants, only the operator's secrets are redacted") {
  Redactor redactor;
  CHECK(redactor.add("SomeRandomLookingWord1", SecretFrom::plugin));
  CHECK(redactor.add("hunter22"));
  CHECK(redactor.sentence("SomeRandomLookingWord1 hunter22") == "SomeRandomLookingWord1 [redacted]");
  CHECK(redactor.value("SomeRandomLookingWord1 hunter22") == "[redacted] [redacted]");
}

TEST_CASE("a secret of both the configuration and a plugin is redacted until both have removed it") {
  Redactor redactor;
  const std::string secret = "Abcdefgh12345678";
  redactor.add(secret);
  redactor.add(secret, SecretFrom::plugin);
  redactor.remove(secret);
  CHECK(redactor.value(secret) == "[redacted]");
  CHECK(redactor.sentence(secret) == secret);
  redactor.remove(secret, SecretFrom::plugin);
  CHECK(redactor.value(secret) == secret);
}

TEST_CASE("secrets are redacted in URLs, JSON and base64, too") {
  Redactor redactor;
  redactor.add("p\"ss w/rd+1");
  CHECK(redactor.value("key=p%22ss%20w%2Frd%2B1&x") == "key=[redacted]&x");
  CHECK(redactor.value(R"({"key":"p\"ss w/rd+1"})") == R"({"key":"[redacted]"})");
  // base64 of "user:p"ss w/rd+1", "a:p"ss w/rd+1!" and "ab:..."
  for (const char* text : {"dXNlcjpwInNzIHcvcmQrMQ==", "YTpwInNzIHcvcmQrMSE=", "YWI6cCJzcyB3L3JkKzE="}) {
    const std::string shown = redactor.value(text);
    CHECK(shown.find("[redacted]") != std::string::npos);
    CHECK(shown.size() < std::string(text).size());
  }
}

TEST_CASE("each of many secrets with a common prefix is found in few steps") {
  Redactor redactor;
  std::vector<std::string> secrets;
  for (int i = 0; i < 20'000; ++i) secrets.push_back("The-same-Beginning-" + std::to_string(i));
  for (const std::string& secret : secrets) redactor.add(secret);
  std::string line, expected;
  for (int i = 0; i < 100; ++i) {
    line += "The-same-Beginning-x The-same-Beginning-19999! ";
    expected += "The-same-Beginning-x [redacted]! ";
  }
  for (int i = 0; i < 100; ++i)
    CHECK(redactor.value(line) == expected);  // a linear search would take minutes
  for (const std::string& secret : secrets) redactor.remove(secret);
  CHECK(redactor.value(line) == line);
}
