#include "observe/secret_encodings.h"

#include <doctest/doctest.h>

#include <algorithm>

using patchbay::core::observe::encoded_forms;

TEST_CASE("a secret's forms are plain, percent-encoded, JSON-escaped and three in base64, each once") {
  const auto all = encoded_forms("abcdef", 4);
  CHECK(all == std::vector<std::string>{"abcdef", "YWJjZGVm", "FiY2RlZ", "hYmNkZW"});
  const auto odd = encoded_forms("a b\"c?>~~", 6);
  const auto has = [&](const char* form) { return std::find(odd.begin(), odd.end(), form) != odd.end(); };
  CHECK(has("a b\"c?>~~"));
  CHECK(has("a%20b%22c%3F%3E~~"));
  CHECK(has("a b\\\"c?>~~"));
}

TEST_CASE("forms that are too short are left out") {
  for (const std::string& form : encoded_forms("abcdef", 7)) CHECK(form.size() >= 7);
}
