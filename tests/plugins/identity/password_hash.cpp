#include "password_hash.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

using namespace patchbay::identity;

namespace {
constexpr HashCost kCheap{64, 1, 1};
}  // namespace

TEST_CASE("a hash matches its own password only") {
  const auto hash = hash_password("correct horse", kCheap);
  REQUIRE(hash);
  CHECK(password_matches("correct horse", *hash));
  CHECK_FALSE(password_matches("Correct horse", *hash));
  CHECK_FALSE(password_matches("", *hash));
  CHECK_FALSE(password_matches("correct horse", ""));
  CHECK(*hash != *hash_password("correct horse", kCheap));
}

TEST_CASE("a hash of the argon2 program matches") {
  CHECK(password_matches("correct horse",
                         "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$"
                         "AdweBLwcflnNX2HVW8i1Mtu7frrn4Ki7h/rYSGuU7Is"));
}

TEST_CASE("the cost of a hash is read, and anything but an Argon2id hash is refused") {
  const auto cost = read_cost(*hash_password("x", {128, 3, 2}));
  REQUIRE(cost);
  CHECK(cost->memory_kib == 128);
  CHECK(cost->passes == 3);
  CHECK(cost->lanes == 2);
  for (const char* bad :
       {"", "secret", "$2b$10$abcdefghijklmnopqrstuv", "$argon2i$v=19$m=64,t=1,p=1$AAAA$AAAA",
        "$argon2id$v=16$m=64,t=1,p=1$AAAA$AAAA", "$argon2id$m=64,t=1,p=1$AAAA$AAAA",
        "$argon2id$v=19$m=64,t=1,p=1$AAAA", "$argon2id$v=19$m=64,t=1,p=1$$AAAA",
        "$argon2id$v=19$m=64,t=1,p=1$AAAA$", "$argon2id$v=19$m=64,t=1,p=1$AA=A$AAAA",
        "$argon2id$v=19$m=99999999,t=1,p=1$AAAA$AAAA", "$argon2id$v=19$m=64,t=99,p=1$AAAA$AAAA",
        "$argon2id$v=19$m=64,t=0,p=1$AAAA$AAAA", "$argon2id$v=19$m=64,t=1,p=99$AAAA$AAAA",
        "$argon2id$v=19$m=99999999999,t=1,p=1$AAAA$AAAA", "$argon2id$v=19$m=-1,t=1,p=1$AAAA$AAAA"})
    CHECK_FALSE(read_cost(bad));
}

TEST_CASE("a dummy hash has the given cost and matches no password") {
  const auto dummy = dummy_hash({128, 3, 2});
  REQUIRE(dummy);
  CHECK(read_cost(*dummy)->memory_kib == 128);
  CHECK_FALSE(password_matches("", *dummy));
  CHECK_FALSE(password_matches("x", *dummy));
}

TEST_CASE("a plain-text password is hashed once, by the first of several threads") {
  Credential credential("", "correct horse");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&credential, i] {
      if (i == 0) credential.prepare();
      CHECK(credential.matches("correct horse"));
      CHECK_FALSE(credential.matches("wrong"));
    });
  for (auto& thread : threads) thread.join();
}
