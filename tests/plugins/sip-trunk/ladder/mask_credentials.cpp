#include "ladder/mask_credentials.h"

#include <doctest/doctest.h>

#include <string>

using patchbay::sip_trunk::mask_credentials;

namespace {
bool shows(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
}  // namespace

TEST_CASE("the response of digest credentials is masked, and what helps to find a fault is shown") {
  const std::string masked = mask_credentials(
      "INVITE sip:a@b SIP/2.0\n"
      "Proxy-Authorization: Digest username=\"us\", realm=\"a, \\\"b\\\"\", nonce=\"n1\", "
      "response=\"SECRET1\", cnonce=\"SECRET2\"\n"
      "aUTHORIZATION : digest Response=SECRET3,uri=\"sip:a\",other=\"SECRET4\"\n"
      "To: <sip:a@b>\n");
  CHECK_FALSE(shows(masked, "SECRET"));
  CHECK(shows(masked, "username=\"us\", realm=\"a, \\\"b\\\"\", nonce=\"n1\", response=***"));
  CHECK(shows(masked, "uri=\"sip:a\""));
  CHECK(shows(masked, "\nTo: <sip:a@b>\n"));
}

TEST_CASE("credentials in folded lines, of other schemes and in the last line are masked") {
  CHECK_FALSE(
      shows(mask_credentials("Authorization: Digest username=\"us\",\r\n response=\"SECRET\"\r\nTo: x\r\n"),
            "SECRET"));
  CHECK_FALSE(shows(mask_credentials("Authorization: Basic SECRET\nTo: x\n"), "SECRET"));
  CHECK_FALSE(shows(mask_credentials("Authorization: SECRET"), "SECRET"));
  CHECK_FALSE(shows(mask_credentials("Authorization: Digest response=\"SECRET, it goes on"), "SECRET"));
  CHECK_FALSE(shows(mask_credentials("Authorization:\n\tDigest response=\"SECRET\"\n"), "SECRET"));
}

TEST_CASE("passwords in SIP URIs are masked, ports and other parts are not") {
  CHECK(mask_credentials("REGISTER sip:us:SECRET@a.example:5060 SIP/2.0\n") ==
        "REGISTER sip:us:***@a.example:5060 SIP/2.0\n");
  CHECK(mask_credentials("Contact: <sips:us:SECRET@[::1]:5060>, <sip:b@c>\n") ==
        "Contact: <sips:us:***@[::1]:5060>, <sip:b@c>\n");
  CHECK(mask_credentials("Call-ID: 1:2:3@host\n") == "Call-ID: 1:2:3@host\n");
}

TEST_CASE("keys in SDP are masked") {
  const std::string masked = mask_credentials(
      "INVITE sip:a@b SIP/2.0\n\nv=0\nk=clear:SECRET\n"
      "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:SECRET|2^20|1:4\na=ice-pwd:SECRET\na=sendrecv\n");
  CHECK_FALSE(shows(masked, "SECRET"));
  CHECK(shows(masked, "a=crypto:1 AES_CM_128_HMAC_SHA1_80 ***\n"));
  CHECK(shows(masked, "a=sendrecv\n"));
  CHECK_FALSE(shows(mask_credentials("SIP/2.0 200 OK\n\na=crypto:SECRET\n"), "SECRET"));
}
