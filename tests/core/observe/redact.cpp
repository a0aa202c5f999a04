#include "observe/redact.h"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using patchbay::core::observe::Redactor;

TEST_CASE("secrets vanish wherever they stand") {
  Redactor redactor;
  CHECK(redactor.add("hunter22"));
  CHECK(redactor.apply("hunter22") == "[redacted]");
  CHECK(redactor.apply("key=hunter22, again hunter22!") == "key=[redacted], again [redacted]!");
  CHECK(redactor.apply("hunter2") == "hunter2");
  CHECK(redactor.apply("") == "");
}

TEST_CASE("of two secrets that begin alike the longer one counts") {
  Redactor redactor;
  redactor.add("secret-1");
  redactor.add("secret-1-and-more");
  redactor.add("secret-2");
  CHECK(redactor.apply("secret-1-and-more secret-1 secret-2 secret-3") ==
        "[redacted] [redacted] [redacted] secret-3");
}

TEST_CASE("a secret is redacted until it was removed as often as added") {
  Redactor redactor;
  redactor.add("hunter22");
  redactor.add("hunter22");
  redactor.remove("hunter22");
  CHECK(redactor.apply("hunter22") == "[redacted]");
  redactor.remove("hunter22");
  CHECK(redactor.apply("hunter22") == "hunter22");
  redactor.remove("hunter22");
  redactor.remove("x");
}

TEST_CASE("short values are not taken") {
  Redactor redactor;
  CHECK_FALSE(redactor.add("12345"));
  CHECK_FALSE(redactor.add(""));
  CHECK(redactor.apply("12345") == "12345");
}

TEST_CASE("names of secrets are known in every spelling") {
  for (const char* name : {"apiKey", "X-Api-Key", "API_KEY", "password", "userPassword", "refresh_token",
                           "Authorization", "Proxy-Authorization", "AdminSharedSecret", "Set-Cookie"})
    CHECK(Redactor::is_secret_name(name));
  for (const char* name : {"promptTokens", "key", "keyId", "secretary", "", "callId"})
    CHECK_FALSE(Redactor::is_secret_name(name));
}

TEST_CASE("secrets come and go while others write") {
  Redactor redactor;
  redactor.add("constant-secret");
  std::atomic<int> leaks{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const std::string own = "temporary-" + std::to_string(t);
      for (int i = 0; i < 500; ++i) {
        redactor.add(own);
        if (redactor.apply("x constant-secret " + own) != "x [redacted] [redacted]") ++leaks;
        redactor.remove(own);
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(leaks == 0);
}
