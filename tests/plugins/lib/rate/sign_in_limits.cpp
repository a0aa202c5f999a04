#include "rate/sign_in_limits.h"

#include <doctest/doctest.h>

using patchbay::lib::SignInLimits;

namespace {
constexpr int64_t kSecond = 1'000'000'000;
}

TEST_CASE("failures count per account and address, and per address over all accounts") {
  SignInLimits limits;
  for (int i = 0; i < 9; ++i) limits.failed({"t\nalice", "192.0.2.1"}, 0);
  CHECK(limits.wait_ms({"t\nalice", "192.0.2.1"}, 0) == 0);
  limits.failed({"t\nalice", "192.0.2.1"}, 0);
  CHECK(limits.wait_ms({"t\nalice", "192.0.2.1"}, 0) == 60'000);
  CHECK(limits.wait_ms({"t\nbob", "192.0.2.1"}, 0) == 6000);
  CHECK(limits.wait_ms({"t\nalice", "192.0.2.2"}, 0) == 0);
  CHECK(limits.wait_ms({"t\nbob", "192.0.2.1"}, 6 * kSecond) == 0);
}

TEST_CASE("failures of others at an address do not affect an account that has signed in from it") {
  SignInLimits limits;
  limits.succeeded({"t\nalice", "192.0.2.1"});
  for (int i = 0; i < 50; ++i) limits.failed({"t\nuser" + std::to_string(i), "192.0.2.1"}, 0);
  CHECK(limits.wait_ms({"t\nalice", "192.0.2.1"}, 0) == 0);
  CHECK(limits.wait_ms({"t\nbob", "192.0.2.1"}, 0) > 0);
  for (int i = 0; i < 10; ++i) limits.failed({"t\nalice", "192.0.2.1"}, 0);  // but failures of the account do
  CHECK(limits.wait_ms({"t\nalice", "192.0.2.1"}, 0) == 60'000);
}

TEST_CASE("failures without an account count for the address, together with wrong passwords") {
  SignInLimits limits;
  for (int i = 0; i < 5; ++i) limits.failed_at("192.0.2.1", 0);
  for (int i = 0; i < 5; ++i) limits.failed({"t\nuser" + std::to_string(i), "192.0.2.1"}, 0);
  CHECK(limits.wait_at_ms("192.0.2.1", 0) == 6000);
  CHECK(limits.wait_ms({"t\nalice", "192.0.2.1"}, 0) == 6000);
  CHECK(limits.wait_at_ms("192.0.2.2", 0) == 0);
}

TEST_CASE("the /64 networks of one IPv6 site share a larger limit") {
  SignInLimits limits;
  for (int i = 0; i < 40; ++i)
    limits.failed({"t\nuser" + std::to_string(i), "2001:db8:0:" + std::to_string(i) + "::1"}, 0);
  CHECK(limits.wait_ms({"t\nbob", "2001:db8:0:ff::1"}, 0) == 1500);
  CHECK(limits.wait_ms({"t\nbob", "2001:db8:1::1"}, 0) == 0);
}

TEST_CASE("an account with failures from many addresses is delayed at addresses where it has not signed in") {
  SignInLimits limits;
  limits.succeeded({"t\nalice", "192.0.2.99"});
  for (int i = 0; i < 20; ++i) {
    CHECK(limits.delay_ms({"t\nalice", "198.51.100.1"}, 0) == 0);
    limits.failed({"t\nalice", "192.0.2." + std::to_string(i)}, 0);
  }
  CHECK(limits.delay_ms({"t\nalice", "198.51.100.1"}, 0) == SignInLimits::kDelayMs);
  CHECK(limits.wait_ms({"t\nalice", "198.51.100.1"}, 0) == 0);
  CHECK(limits.delay_ms({"t\nalice", "192.0.2.99"}, 0) == 0);
  CHECK(limits.delay_ms({"t\nbob", "198.51.100.1"}, 0) == 0);
  CHECK(limits.delay_ms({"t\nalice", "198.51.100.1"}, 31 * kSecond) == 0);
}
