// SDP as an answer and as an offer; the answer to an accepted offer must be readable by the same parser.
#include "sdp/sdp.h"

#include <cstdlib>

using namespace patchbay::lib;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const LocalMedia local = [] {
    LocalMedia media;
    media.rtp = *SocketAddress::parse("192.0.2.1", 4000);
    media.codecs = {Codec::opus, Codec::g722, Codec::pcma, Codec::pcmu};
    media.comfort_noise = true;
    media.security.policy = SrtpPolicy::optional;
    media.security.offered_keys = {
        {1, *MasterKey::from(SrtpProfile::aes128_cm_sha1_80, std::string(30, 'k'))}};
    media.security.fingerprint = {Fingerprint::Hash::sha256, std::string(32, 'f')};
    return media;
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)parse_answer(local, text);
  if (auto offer = parse_offer(local, text)) {
    const std::string answer = write_answer(local, *offer);
    if (answer.find('\0') != std::string::npos || !parse_offer(local, answer)) std::abort();
  }
  return 0;
}
