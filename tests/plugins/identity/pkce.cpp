#include "pkce.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay::identity;

TEST_CASE("a verifier matches its challenge only") {
  const std::string verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";  // RFC 7636, appendix B
  const std::string challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
  CHECK(is_code_challenge(challenge));
  CHECK(verifies_challenge(verifier, challenge));
  CHECK_FALSE(verifies_challenge(verifier + "x", challenge));
  CHECK_FALSE(verifies_challenge(challenge, challenge));
  CHECK_FALSE(verifies_challenge("", challenge));
  CHECK_FALSE(is_code_challenge(challenge + "A"));
  CHECK_FALSE(is_code_challenge(std::string(43, '!')));
  CHECK_FALSE(is_code_verifier(std::string(42, 'a')));
  CHECK(is_code_verifier(std::string(128, 'a')));
  CHECK_FALSE(is_code_verifier(std::string(129, 'a')));
  CHECK_FALSE(is_code_verifier(std::string(43, '/')));
}
