#include "sdp/sdp_security.h"

#include <doctest/doctest.h>

#include "sdp/sdp.h"

using namespace patchbay;
using namespace patchbay::lib;

namespace {

const std::string kKey30 = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";  // 30 bytes
const std::string kKey28 = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==";  // 28 bytes
const std::string kFingerprint =
    "sha-256 AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB:AB";

LocalMedia secure_local(SrtpPolicy policy, SrtpKeying keying = SrtpKeying::sdes) {
  LocalMedia media;
  media.rtp = *SocketAddress::parse("192.0.2.1", 4000);
  media.security.policy = policy;
  media.security.keying = keying;
  media.security.offered_keys = {{1, *MasterKey::from(SrtpProfile::aead_aes128_gcm, std::string(28, 'g'))},
                                 {2, *MasterKey::from(SrtpProfile::aes128_cm_sha1_80, std::string(30, 'c'))}};
  media.security.fingerprint = {Fingerprint::Hash::sha256, std::string(32, '\xCD')};
  return media;
}

std::string secure_sdp(const std::string& protocol, const std::string& attributes,
                       const std::string& of_session = "") {
  return "v=0\r\no=- 1 1 IN IP4 198.51.100.2\r\ns=-\r\nc=IN IP4 198.51.100.2\r\nt=0 0\r\n" + of_session +
         "m=audio 5000 " + protocol + " 0\r\n" + attributes;
}

std::string crypto(const std::string& value) { return "a=crypto:" + value + "\r\n"; }

const std::string kCrypto80 = crypto("2 AES_CM_128_HMAC_SHA1_80 inline:" + kKey30 + "|2^31");
const std::string kDtls = "a=fingerprint:" + kFingerprint + "\r\na=setup:actpass\r\n";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string refusal(const LocalMedia& media, const std::string& offer) {
  const auto parsed = parse_offer(media, offer);
  return parsed ? "" : parsed.error().text;
}

}  // namespace

TEST_CASE("a crypto line is parsed and written back") {
  const auto line = parse_crypto("1 AES_CM_128_HMAC_SHA1_80 inline:" + kKey30 + "|2^20 WSH=128");
  REQUIRE(line);
  CHECK(line->tag == 1);
  CHECK(line->key.profile() == SrtpProfile::aes128_cm_sha1_80);
  CHECK(to_text(*line) == "1 AES_CM_128_HMAC_SHA1_80 inline:" + kKey30);
  CHECK(parse_crypto("999999999 AEAD_AES_128_GCM inline:" + kKey28));
  CHECK(parse_crypto("1 AEAD_AES_128_GCM  inline:" + kKey28.substr(0, 38)));  // without padding
}

TEST_CASE("crypto lines that we cannot use are refused") {
  for (const std::string& value : {
           "1 F8_128_HMAC_SHA1_80 inline:" + kKey30,
           "1 AES_CM_128_HMAC_SHA1_80 inline:" + kKey30 + "|2^20|1:4",
           "1 AES_CM_128_HMAC_SHA1_80 inline:" + kKey30 + "|1:4",
           "1 AES_CM_128_HMAC_SHA1_80 inline:" + kKey30 + ";inline:" + kKey30,
           "1 AES_CM_128_HMAC_SHA1_80 inline:" + kKey30 + " UNENCRYPTED_SRTP",
           "1 AES_CM_128_HMAC_SHA1_80 inline:" + kKey30 + " KDR=1",
       })
    CHECK(parse_crypto(value).error().code == Code::unsupported);
  for (const std::string& value : {
           std::string(),
           std::string("1"),
           std::string("1 AES_CM_128_HMAC_SHA1_80"),
           "x AES_CM_128_HMAC_SHA1_80 inline:" + kKey30,
           "1234567890 AES_CM_128_HMAC_SHA1_80 inline:" + kKey30,
           "1 AES_CM_128_HMAC_SHA1_80 inline:" + kKey28,
           "1 AES_CM_128_HMAC_SHA1_80 inline:!" + kKey30,
           "1 AES_CM_128_HMAC_SHA1_80 outline:" + kKey30,
       })
    CHECK(parse_crypto(value).error().code == Code::invalid);
}

TEST_CASE("our offer follows policy and keying") {
  CHECK_FALSE(contains(write_offer(secure_local(SrtpPolicy::off)), "crypto"));
  const std::string optional = write_offer(secure_local(SrtpPolicy::optional));
  CHECK(contains(optional, "m=audio 4000 RTP/AVP 0"));
  CHECK(contains(optional, "a=crypto:1 AEAD_AES_128_GCM inline:"));
  CHECK(contains(optional, "a=crypto:2 AES_CM_128_HMAC_SHA1_80 inline:"));
  CHECK(contains(write_offer(secure_local(SrtpPolicy::required)), "m=audio 4000 RTP/SAVP 0"));
  const std::string dtls = write_offer(secure_local(SrtpPolicy::required, SrtpKeying::dtls));
  CHECK(contains(dtls, "m=audio 4000 UDP/TLS/RTP/SAVP 0"));
  CHECK(contains(dtls, "a=fingerprint:sha-256 CD:CD:"));
  CHECK(contains(dtls, "a=setup:actpass\r\n"));
  CHECK(contains(dtls, "a=rtcp-mux\r\n"));
  CHECK_FALSE(contains(dtls, "crypto"));
  CHECK(
      contains(write_offer(secure_local(SrtpPolicy::optional, SrtpKeying::dtls)), "m=audio 4000 RTP/AVP 0"));
}

TEST_CASE("an answer chooses one of our lines by its tag") {
  for (const SrtpPolicy policy : {SrtpPolicy::optional, SrtpPolicy::required}) {
    const auto media = parse_answer(secure_local(policy), secure_sdp("RTP/SAVP", kCrypto80));
    REQUIRE(media);
    REQUIRE(media->security.is_sdes);
    CHECK(media->security.sent->key.secret() == std::string(30, 'c'));
    CHECK(media->security.received->key.secret() == std::string(30, '\0'));
  }
  // A tag with another suite than ours, and a tag that we did not offer.
  CHECK_FALSE(parse_answer(secure_local(SrtpPolicy::required),
                           secure_sdp("RTP/SAVP", crypto("1 AES_CM_128_HMAC_SHA1_80 inline:" + kKey30))));
  CHECK_FALSE(parse_answer(secure_local(SrtpPolicy::required),
                           secure_sdp("RTP/SAVP", crypto("3 AES_CM_128_HMAC_SHA1_80 inline:" + kKey30))));
}

TEST_CASE("an answer in the clear is accepted unless SRTP is required") {
  CHECK_FALSE(
      parse_answer(secure_local(SrtpPolicy::optional), secure_sdp("RTP/AVP", ""))->security.is_secure());
  CHECK_FALSE(
      parse_answer(secure_local(SrtpPolicy::off), secure_sdp("RTP/AVP", kCrypto80))->security.is_secure());
  const auto refused = parse_answer(secure_local(SrtpPolicy::required), secure_sdp("RTP/AVP", ""));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text == "the peer does not encrypt the audio, and srtp is required");
  CHECK_FALSE(parse_answer(secure_local(SrtpPolicy::optional), secure_sdp("RTP/SAVP", "")));
}

TEST_CASE("an answer with a fingerprint gives us the other role") {
  const auto agreed = [](const std::string& setup) {
    return parse_answer(secure_local(SrtpPolicy::required, SrtpKeying::dtls),
                        secure_sdp("UDP/TLS/RTP/SAVPF",
                                   "a=fingerprint:" + kFingerprint + "\r\na=setup:" + setup + "\r\n"))
        ->security;
  };
  CHECK(agreed("active").setup == DtlsSetup::passive);
  CHECK(agreed("passive").setup == DtlsSetup::active);
  CHECK(agreed("active").is_dtls);
  CHECK(agreed("active").fingerprints.size() == 1);
  CHECK_FALSE(
      parse_answer(secure_local(SrtpPolicy::required, SrtpKeying::dtls), secure_sdp("UDP/TLS/RTP/SAVP", "")));
}

TEST_CASE(
    "a peer that leaves the role in DTLS to us again gets the role before, unless its certificate is "
    "another") {
  const LocalMedia media = secure_local(SrtpPolicy::required, SrtpKeying::dtls);
  const auto sdp = [](const std::string& setup, const std::string& fingerprint = kFingerprint) {
    return secure_sdp("UDP/TLS/RTP/SAVP", "a=fingerprint:" + fingerprint + "\r\na=setup:" + setup + "\r\n");
  };
  const AgreedSecurity first = parse_answer(media, sdp("active"))->security;
  REQUIRE(first.setup == DtlsSetup::passive);
  CHECK(parse_offer(media, sdp("actpass"), first)->media.security.setup == DtlsSetup::passive);
  CHECK(parse_answer(media, sdp("actpass"), first)->security.setup == DtlsSetup::passive);
  CHECK(parse_offer(media, sdp("passive"), first)->media.security.setup == DtlsSetup::active);
  std::string other = kFingerprint;
  other.back() = 'C';
  CHECK(parse_offer(media, sdp("actpass", other), first)->media.security.setup == DtlsSetup::active);
}

TEST_CASE("a key whose indices are forgotten is not offered again") {
  LocalMedia media = secure_local(SrtpPolicy::optional);
  const MasterKey used = media.security.offered_keys[1].key, other = media.security.offered_keys[0].key;
  replace_used_key(media.security, *MasterKey::random(SrtpProfile::aead_aes128_gcm));
  CHECK(media.security.offered_keys[1].key == used);
  replace_used_key(media.security, used);
  CHECK_FALSE(media.security.offered_keys[1].key == used);
  CHECK(media.security.offered_keys[1].tag == 2);
  CHECK(media.security.offered_keys[0].key == other);
}

TEST_CASE("an offer is answered with one crypto line of the peer, under its tag and protocol") {
  for (const char* protocol : {"RTP/SAVP", "RTP/SAVPF", "RTP/AVP"}) {
    const LocalMedia media = secure_local(SrtpPolicy::optional);
    const auto offer = parse_offer(
        media, secure_sdp(protocol, crypto("7 F8_128_HMAC_SHA1_80 inline:" + kKey30) +
                                        crypto("9 AES_CM_128_HMAC_SHA1_32 inline:" + kKey30) + kCrypto80));
    REQUIRE(offer);
    const std::string answer = write_answer(media, *offer);
    CHECK(contains(answer, "m=audio 4000 " + std::string(protocol) + " 0\r\n"));
    CHECK(contains(answer, "a=crypto:9 AES_CM_128_HMAC_SHA1_32 inline:"));
    CHECK_FALSE(contains(answer, kKey30));
    CHECK_FALSE(contains(answer, "F8"));
  }
}

TEST_CASE("a later offer with the same suite keeps our key") {
  const LocalMedia media = secure_local(SrtpPolicy::required);
  const auto first = parse_offer(media, secure_sdp("RTP/SAVP", kCrypto80));
  const auto second = parse_offer(
      media, secure_sdp("RTP/SAVP", crypto("5 AES_CM_128_HMAC_SHA1_80 inline:" + std::string(40, 'B'))),
      first->media.security);
  CHECK(second->media.security.sent->tag == 5);
  CHECK(second->media.security.sent->key == first->media.security.sent->key);
  CHECK_FALSE(second->media.security.received->key == first->media.security.received->key);
  const auto other = parse_offer(media, secure_sdp("RTP/SAVP", crypto("5 AEAD_AES_128_GCM inline:" + kKey28)),
                                 first->media.security);
  CHECK(other->media.security.sent->key.profile() == SrtpProfile::aead_aes128_gcm);
}

TEST_CASE("an offer of DTLS is answered with our fingerprint and role, and of the session, too") {
  for (const bool of_session : {false, true}) {
    const LocalMedia media = secure_local(SrtpPolicy::optional);
    const auto offer =
        parse_offer(media, secure_sdp("UDP/TLS/RTP/SAVPF", (of_session ? "" : kDtls) + "a=rtcp-mux\r\n",
                                      of_session ? kDtls : ""));
    REQUIRE(offer);
    CHECK(offer->media.security.setup == DtlsSetup::active);
    const std::string answer = write_answer(media, *offer);
    CHECK(contains(answer, "m=audio 4000 UDP/TLS/RTP/SAVPF 0\r\n"));
    CHECK(contains(answer, "a=fingerprint:sha-256 CD:CD:"));
    CHECK(contains(answer, "a=setup:active\r\na=rtcp-mux\r\n"));
  }
}

TEST_CASE("offers that the policy does not allow are refused with the reason") {
  CHECK(refusal(secure_local(SrtpPolicy::off), secure_sdp("RTP/SAVP", kCrypto80)) ==
        "the peer encrypts the audio, and srtp is off");
  CHECK(refusal(secure_local(SrtpPolicy::off), secure_sdp("UDP/TLS/RTP/SAVPF", kDtls)) ==
        "the peer encrypts the audio, and srtp is off");
  CHECK(refusal(secure_local(SrtpPolicy::required), secure_sdp("RTP/AVP", "")) ==
        "the peer does not encrypt the audio, and srtp is required");
  CHECK(refusal(secure_local(SrtpPolicy::optional), secure_sdp("RTP/SAVP", "")) ==
        "no way to encrypt the audio in common");
  CHECK(refusal(secure_local(SrtpPolicy::optional), secure_sdp("UDP/TLS/RTP/SAVP", kCrypto80)) ==
        "no way to encrypt the audio in common");
  CHECK(refusal(secure_local(SrtpPolicy::optional),
                secure_sdp("UDP/TLS/RTP/SAVP", "a=fingerprint:sha-1 AB\r\n")) ==
        "no way to encrypt the audio in common");
  CHECK(refusal(secure_local(SrtpPolicy::optional), secure_sdp("TCP/RTP/AVP", "")) == "the audio is not RTP");
  CHECK(refusal(secure_local(SrtpPolicy::off), secure_sdp("RTP/AVP", kCrypto80)).empty());
}

TEST_CASE("a later offer of ours has the security that was agreed on: its protocol, kind and key") {
  LocalMedia media = secure_local(SrtpPolicy::optional);
  const auto sdes =
      parse_offer(media, secure_sdp("RTP/SAVPF", crypto("4 AES_CM_128_HMAC_SHA1_32 inline:" + kKey30)));
  REQUIRE(sdes);
  keep_agreed(media.security, sdes->media.security);
  std::string offer = write_offer(media);
  CHECK(contains(offer, "m=audio 4000 RTP/SAVPF 0"));
  CHECK(contains(offer, "a=crypto:" + to_text(CryptoLine{3, sdes->media.security.sent->key})));
  media = secure_local(SrtpPolicy::required);
  const auto dtls = parse_offer(media, secure_sdp("UDP/TLS/RTP/SAVPF", kDtls));
  REQUIRE(dtls);
  keep_agreed(media.security, dtls->media.security);
  offer = write_offer(media);
  CHECK(contains(offer, "m=audio 4000 UDP/TLS/RTP/SAVPF 0"));
  CHECK(contains(offer, "a=setup:actpass"));
  CHECK_FALSE(contains(offer, "crypto"));
  keep_agreed(media.security, AgreedSecurity{});
  CHECK(write_offer(media) == offer);
}

TEST_CASE("of two audio lines the first that the policy allows is accepted") {
  const LocalMedia media = secure_local(SrtpPolicy::required);
  const auto offer = parse_offer(media, secure_sdp("RTP/AVP", "m=audio 5002 RTP/SAVP 0\r\n" + kCrypto80));
  REQUIRE(offer);
  CHECK(offer->media.rtp.port() == 5002);
  const std::string answer = write_answer(media, *offer);
  CHECK(contains(answer, "m=audio 0 RTP/AVP 0\r\n"));
  CHECK(contains(answer, "m=audio 4000 RTP/SAVP 0\r\n"));
}
