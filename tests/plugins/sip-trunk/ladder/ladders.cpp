#include "ladder/ladders.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay::sip_trunk;

namespace {

LoggedMessage logged(const std::string& first_line, const std::string& call_id,
                     const std::string& more = "") {
  return {false, "udp 192.0.2.1:5060", first_line + "\nCall-ID: " + call_id + "\n" + more + "\n"};
}

}  // namespace

TEST_CASE("the messages of our call are found by its call id, of each attempt, by its tenant only") {
  Ladders ladders;
  ladders.begin("a.example", "oac-1");
  ladders.on_message(logged("INVITE sip:+49@b SIP/2.0", "oac-1-1@a.example"));
  ladders.on_message(logged("SIP/2.0 503 Busy", "oac-1-1@a.example"));
  ladders.on_message(logged("INVITE sip:+49@c SIP/2.0", "oac-1-2@a.example"));
  ladders.on_message(logged("INVITE sip:+49@c SIP/2.0", "oac-10-1@a.example"));
  const auto ladder = ladders.find("a.example", "oac-1");
  REQUIRE(ladder);
  REQUIRE(ladder->messages.size() == 3);
  CHECK(ladder->messages[0].summary == "INVITE sip:+49@b");
  CHECK(ladder->messages[1].summary == "503 Busy");
  CHECK_FALSE(ladders.find("b.example", "oac-1"));
  CHECK_FALSE(ladders.find("a.example", "oac-10"));
}

TEST_CASE(
    "a call to us keeps the messages that came before it was known, and cannot take another call's name") {
  Ladders ladders;
  ladders.on_message(logged("INVITE sip:+49@b SIP/2.0", "foreign@carrier"));
  ladders.on_message(logged("INVITE sip:+49@b SIP/2.0", "other@carrier"));
  ladders.begin("a.example", "vnum-1", "foreign@carrier");
  ladders.on_message(logged("ACK sip:+49@b SIP/2.0", "foreign@carrier"));
  ladders.on_message(logged("INVITE sip:+49@b SIP/2.0", "vnum-1-1@carrier"));
  const auto ladder = ladders.find("a.example", "vnum-1");
  REQUIRE(ladder);
  CHECK(ladder->messages.size() == 2);
}

TEST_CASE("a call to us whose Call-ID another call has does not take that call's messages") {
  Ladders ladders;
  ladders.begin("a.example", "vnum-1", "same@carrier");
  ladders.begin("b.example", "vnum-2", "same@carrier");
  ladders.on_message(logged("BYE sip:+49@b SIP/2.0", "same@carrier"));
  CHECK(ladders.find("a.example", "vnum-1")->messages.size() == 1);
  CHECK(ladders.find("b.example", "vnum-2")->messages.empty());
}

TEST_CASE("credentials are masked, and text that is not UTF-8 is repaired") {
  Ladders ladders;
  ladders.begin("a.example", "oac-1");
  ladders.on_message(logged("INVITE sip:a@b SIP/2.0", "oac-1-1@x",
                            "Authorization: Digest response=\"SECRET\"\nSubject: \xFF\n"));
  const std::string text = ladders.find("a.example", "oac-1")->messages.at(0).text;
  CHECK(text.find("SECRET") == std::string::npos);
  CHECK(text.find("Subject: \xEF\xBF\xBD") != std::string::npos);
}

TEST_CASE("calls, messages and their length are bounded") {
  Ladders ladders;
  for (size_t i = 0; i <= Ladders::kMaxCalls; ++i)
    ladders.begin("a.example", "oac-" + std::to_string(i), "id-" + std::to_string(i));
  CHECK_FALSE(ladders.find("a.example", "oac-0"));
  REQUIRE(ladders.find("a.example", "oac-1"));
  for (size_t i = 0; i < Ladders::kMaxMessages + 3; ++i)
    ladders.on_message(logged("OPTIONS sip:a SIP/2.0", "id-1", std::string(20'000, 'x')));
  const auto ladder = ladders.find("a.example", "oac-1");
  CHECK(ladder->messages.size() == Ladders::kMaxMessages);
  CHECK(ladder->left_out == 3);
  CHECK(ladder->messages[0].text.size() <= Ladders::kMaxTextBytes + 1);
  for (int i = 0; i < 1000; ++i) ladders.on_message(logged("OPTIONS sip:a SIP/2.0", std::to_string(i)));
  ladders.begin("a.example", "vnum-2", "999");
  CHECK(ladders.find("a.example", "vnum-2")->messages.size() == 1);
}

TEST_CASE("talkative calls make the oldest ones go") {
  Ladders ladders;
  constexpr size_t kCalls = Ladders::kMaxBytes / (Ladders::kMaxMessages * Ladders::kMaxTextBytes) + 10;
  for (size_t i = 0; i < kCalls; ++i) {
    ladders.begin("a.example", "oac-" + std::to_string(i));
    for (size_t n = 0; n < Ladders::kMaxMessages; ++n)
      ladders.on_message(logged("OPTIONS sip:a SIP/2.0", "oac-" + std::to_string(i) + "-1@x",
                                std::string(Ladders::kMaxTextBytes, 'x')));
  }
  CHECK_FALSE(ladders.find("a.example", "oac-0"));
  CHECK(ladders.find("a.example", "oac-" + std::to_string(kCalls - 1))->messages.size() ==
        Ladders::kMaxMessages);
}

TEST_CASE("Call-ID is found in any case, in its short form, and in the header only") {
  CHECK(call_id_of("INVITE a SIP/2.0\ncall-id : x@y \nTo: b\n") == "x@y");
  CHECK(call_id_of("INVITE a SIP/2.0\ni:x\n") == "x");
  CHECK(call_id_of("INVITE a SIP/2.0\nTo: b\n\nCall-ID: x\n") == "");
  CHECK(call_id_of("") == "");
  CHECK(summary_of("SIP/2.0") == "");
  CHECK(summary_of("") == "");
}
