#include "dialogs/invite.h"

#include <doctest/doctest.h>

using namespace patchbay::sip_trunk;

namespace {

OutboundCall call() {
  OutboundCall call;
  call.trunk.host = "sip.example.com";
  call.trunk.port = 5060;
  call.trunk.caller_id = "+4930123456";
  call.number = "+493012345678";
  call.call_id = "call-0123456789ab";
  call.attempt = 2;
  return call;
}

}  // namespace

TEST_CASE("header values are built from a call") {
  auto wanted = call();
  wanted.display_name = "Anna \"A\" \\ Li";
  auto invite = make_invite(wanted);
  REQUIRE(invite);
  CHECK(invite->uri == "sip:+493012345678@sip.example.com:5060;transport=udp");
  CHECK(invite->to == "<sip:+493012345678@sip.example.com>");
  CHECK(invite->from.rfind("\"Anna \\\"A\\\" \\\\ Li\" <sip:+4930123456@sip.example.com>;tag=", 0) == 0);
  CHECK(invite->call_id == "call-0123456789ab-2@sip.example.com");
}

TEST_CASE("without a caller id the caller is anonymous, and identified only to the trunk") {
  auto wanted = call();
  wanted.trunk.caller_id = "";
  wanted.trunk.username = "account";
  wanted.display_name = "Anna";
  auto invite = make_invite(wanted);
  REQUIRE(invite);
  CHECK(invite->from.rfind("\"Anonymous\" <sip:anonymous@anonymous.invalid>;tag=", 0) == 0);
  CHECK(invite->privacy == "id");
  CHECK(invite->identity == "P-Preferred-Identity: <sip:account@sip.example.com>");
  wanted.trunk.from_domain = "mine.example";
  wanted.trunk.username = "a>b";
  invite = make_invite(wanted);
  REQUIRE(invite);
  CHECK(invite->from.find("<sip:anonymous@mine.example>") != std::string::npos);
  CHECK(invite->identity.empty());
}

TEST_CASE("the caller id is asserted to the trunk, or the number that the configuration says") {
  auto wanted = call();
  CHECK(make_invite(wanted)->identity == "P-Asserted-Identity: <sip:+4930123456@sip.example.com>");
  CHECK(make_invite(wanted)->privacy.empty());
  wanted.trunk.asserted_id = "+4930999";
  CHECK(make_invite(wanted)->identity == "P-Asserted-Identity: <sip:+4930999@sip.example.com>");
  CHECK(make_invite(wanted)->from.find("<sip:+4930123456@sip.example.com>") != std::string::npos);
  wanted.trunk.hides_caller = true;
  CHECK(make_invite(wanted)->from.rfind("\"Anonymous\" <sip:anonymous@anonymous.invalid>;tag=", 0) == 0);
  CHECK(make_invite(wanted)->privacy == "id");
  CHECK(make_invite(wanted)->identity == "P-Asserted-Identity: <sip:+4930999@sip.example.com>");
  wanted.trunk.asserted_id = "a>b";
  CHECK_FALSE(make_invite(wanted));
}

TEST_CASE("REGISTER is about the username at the trunk's domain") {
  auto trunk = call().trunk;
  trunk.username = "acme";
  const Target target(*patchbay::lib::SocketAddress::parse("192.0.2.1", 5060), "sip.example.com");
  auto request = make_register(trunk, target, "id", 7, 600);
  REQUIRE(request);
  CHECK(request->uri == "sip:sip.example.com");
  CHECK(request->to == "<sip:acme@sip.example.com>");
  CHECK(request->from.rfind(request->to + ";tag=", 0) == 0);
  CHECK(request->contact_user == "acme");
  trunk.username = "a b";
  CHECK_FALSE(make_register(trunk, target, "id", 7, 600));
}

TEST_CASE("the callee's number is not shown as the caller's name") {
  auto wanted = call();
  for (const char* label : {"+493012345678", "0049 30 12345678"}) {
    wanted.display_name = label;
    auto invite = make_invite(wanted);
    REQUIRE(invite);
    CHECK(invite->from.rfind("<sip:+4930123456@", 0) == 0);
    CHECK(invite->privacy.empty());
  }
}

TEST_CASE("the address of an IPv6 trunk has brackets") {
  auto wanted = call();
  wanted.trunk.host = "2001:db8::1";
  wanted.trunk.from_domain = "example.org";
  wanted.trunk.transport = Transport::tcp;
  auto invite = make_invite(wanted);
  REQUIRE(invite);
  CHECK(invite->uri == "sip:+493012345678@[2001:db8::1]:5060;transport=tcp");
  CHECK(invite->from.find("@example.org>") != std::string::npos);
}

TEST_CASE("no display name can start a header or end its quotes") {
  CHECK(quoted_display_name("a\r\nX-Evil: 1") == "\"aX-Evil: 1\"");
  CHECK(quoted_display_name("a\" <sip:evil@x>;tag=1") == "\"a\\\" <sip:evil@x>;tag=1\"");
  CHECK(quoted_display_name("\\") == "\"\\\\\"");
  CHECK(quoted_display_name(std::string("a\0b\x7f\x01", 5)) == "\"ab\"");
  CHECK(quoted_display_name("").empty());
  CHECK(quoted_display_name("\r\n\t").empty());
}

TEST_CASE("a long display name is cut between characters") {
  std::string name(63, 'x');
  name += "\u00e9\u00e9";
  CHECK(quoted_display_name(name) == "\"" + std::string(63, 'x') + "\"");
}

TEST_CASE("fields that could break out of their header are refused") {
  const std::string bad[] = {"",    "a b",  "a\r\nX: y", "a;b",          "a@b", "a>b",   "a?b=c",
                             "a,b", "a\"b", "a%0d%0a",   "\u0665\u0666", "a:b", "[::1]", "x/y"};
  for (const auto& text : bad) {
    CAPTURE(text);
    auto wanted = call();
    wanted.number = text;
    CHECK_FALSE(make_invite(wanted));
    wanted = call();
    wanted.call_id = text;
    CHECK_FALSE(make_invite(wanted));
    wanted = call();
    wanted.trunk.host = text;
    CHECK_FALSE(make_invite(wanted));
    if (text.empty()) continue;
    wanted = call();
    wanted.trunk.caller_id = text;
    CHECK_FALSE(make_invite(wanted));
    wanted = call();
    wanted.trunk.from_domain = text;
    CHECK_FALSE(make_invite(wanted));
  }
}

TEST_CASE("a number that is not normalised is not dialled") {
  for (const char* number :
       {"0049301234567", "+49 30 1234567", "tel:+49301234567", "+49301234567;x=y", "sip"}) {
    auto wanted = call();
    wanted.number = number;
    CHECK_FALSE(make_invite(wanted));
  }
}
