#include "dialogs/dtmf_info.h"

#include <doctest/doctest.h>

#include <string>

using patchbay::sip_trunk::digit_of_info;

TEST_CASE("digits in INFO of the common PBXs are understood") {
  CHECK(digit_of_info("application/dtmf-relay", "Signal=5\r\nDuration=160\r\n") == '5');
  CHECK(digit_of_info("application/dtmf-relay", "Signal= *\r\nDuration= 250") == '*');
  CHECK(digit_of_info("Application/DTMF-Relay; charset=utf-8", "Duration=100\nsignal = d\n") == 'D');
  CHECK(digit_of_info("application/dtmf-relay", "Signal=10\r\n") == '*');
  CHECK(digit_of_info("application/dtmf-relay", "Signal=11\r\n") == '#');
  CHECK(digit_of_info("application/dtmf-relay", "Signal=15\r\n") == 'D');
  CHECK(digit_of_info("application/dtmf", "7") == '7');
  CHECK(digit_of_info("application/dtmf", "11\r\n") == '#');
  CHECK(digit_of_info("application/dtmf", "Signal=0\r\n") == '0');
}

TEST_CASE("everything else is no digit") {
  for (const std::string body :
       {"", "Signal=", "Signal=16", "Signal=55", "Signal=x", "Duration=5", "5", "Signal", "=5"})
    CHECK_FALSE(digit_of_info("application/dtmf-relay", body));
  for (const std::string body : {"", "55", "x", "\r\n", " "})
    CHECK_FALSE(digit_of_info("application/dtmf", body));
  CHECK_FALSE(digit_of_info("application/sdp", "5"));
  CHECK_FALSE(digit_of_info("", "5"));
}
