#include "registrar/digest_credentials.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay;
using namespace patchbay::sip_trunk;

namespace {

// RFC 7616 section 3.9.1, the user agent's answers to its two challenges.
const std::string kExample =
    "Digest username=\"Mufasa\", realm=\"http-auth@example.org\", uri=\"/dir/index.html\", "
    "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", nc=00000001, "
    "cnonce=\"f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ\", qop=auth, ";
const std::string kMd5 = kExample + "response=\"8ca523f5e9506fed4657c9700eebdbec\", algorithm=MD5";
const std::string kSha256 =
    kExample +
    "response=\"753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1\", algorithm=SHA-256";
const std::string kHa1Md5 = "3d78807defe7de2157e2b0b6573a855f";
const std::string kHa1Sha256 = "7987c64c30e25f1b74be53f966b49b90f2808aa92faf9a00262392d7b4794232";

std::string without(std::string text, const std::string& part) {
  text.erase(text.find(part), part.size());
  return text;
}

}  // namespace

TEST_CASE("the examples of RFC 7616 are proven by the password of their user only") {
  const auto md5 = parse_digest_credentials(kMd5);
  REQUIRE(md5);
  CHECK(md5->username == "Mufasa");
  CHECK(md5->realm == "http-auth@example.org");
  CHECK(md5->uri == "/dir/index.html");
  CHECK(md5->count == 1);
  CHECK(proves(*md5, "GET", kHa1Md5));
  CHECK_FALSE(proves(*md5, "REGISTER", kHa1Md5));
  CHECK_FALSE(proves(*md5, "GET", kHa1Sha256));
  CHECK_FALSE(proves(*md5, "GET", ""));
  const auto sha256 = parse_digest_credentials(kSha256);
  REQUIRE(sha256);
  CHECK(sha256->algorithm == "SHA-256");
  CHECK(proves(*sha256, "GET", kHa1Sha256));
  CHECK_FALSE(proves(*sha256, "GET", kHa1Md5));
}

TEST_CASE("credentials are read in any order, case and spacing, with escapes and unknown parameters") {
  std::string text = kMd5;
  text.replace(0, 6, "dIGEST  ");
  text.replace(text.find("username"), 8, "USERNAME");
  const auto read = parse_digest_credentials(text + " , opaque=\"a,b\\\"c\" ,x=y");
  REQUIRE(read);
  CHECK(proves(*read, "GET", kHa1Md5));
  CHECK(parse_digest_credentials(without(kMd5, ", algorithm=MD5"))->algorithm == "MD5");
}

TEST_CASE("malformed and unsupported credentials are refused") {
  const auto code = [](const std::string& text) {
    const auto read = parse_digest_credentials(text);
    return read ? Code::ok : read.error().code;
  };
  CHECK(code("") == Code::unsupported);
  CHECK(code("Digest") == Code::unsupported);
  CHECK(code("Basic QWxhZGRpbg==") == Code::unsupported);
  CHECK(code("Bearer x") == Code::unsupported);
  CHECK(code(without(kMd5, "qop=auth, ")) == Code::unsupported);
  std::string session = kMd5;
  session += "-sess";
  CHECK(code(session) == Code::unsupported);
  CHECK(code(without(kMd5, "username=\"Mufasa\", ")) == Code::invalid);
  CHECK(code(without(kMd5, "nc=00000001, ")) == Code::invalid);
  CHECK(code(kMd5 + ", username=\"Scar\"") == Code::invalid);
  CHECK(code(without(kMd5, "ebdbec")) == Code::invalid);
  CHECK(code(kMd5 + ", opaque=\"open") == Code::invalid);
  CHECK(code(kMd5 + ", opaque=\"a\nb\"") == Code::invalid);
  CHECK(code(kMd5 + ", opaque=\"" + std::string(5000, 'a') + "\"") == Code::invalid);
}

TEST_CASE("the host of a SIP URI is found whatever stands around it") {
  CHECK(host_of_sip_uri("sip:Acme.Example") == "acme.example");
  CHECK(host_of_sip_uri("sip:bob:x@acme.example:5060;transport=tcp?a=b") == "acme.example");
  CHECK(host_of_sip_uri("sips:[2001:DB8::1]:5061") == "2001:db8::1");
  CHECK(host_of_sip_uri("sip:[2001:db8::1") == "");
  CHECK(host_of_sip_uri("http://acme.example") == "");
  CHECK(host_of_sip_uri("acme.example") == "");
}
