// Checks and decrypts the SRTP and SRTCP that a peer sends under one master key, by libsrtp2. One thread at a
// time. Allocates for the first packet of a source. Debian's libsrtp2 also does for each packet of AES-CM
// (README.md).
#pragma once

#include <patchbay/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "srtp/key_derivation.h"
#include "srtp/master_key.h"
#include "srtp/srtp_functions.h"

namespace patchbay::lib {

class SrtpReceiver {
 public:
  // Sources (SSRCs) beyond it are refused, so that an authenticated peer cannot use memory without end.
  static constexpr size_t kDefaultMaxSources = 32;

  // [any, may block] Code::unavailable: libsrtp2 cannot be used.
  static Result<std::unique_ptr<SrtpReceiver>> create(const MasterKey& key,
                                                      size_t max_sources = kDefaultMaxSources);
  SrtpReceiver(const SrtpReceiver&) = delete;
  SrtpReceiver& operator=(const SrtpReceiver&) = delete;
  ~SrtpReceiver();

  enum class Verdict { accepted, forged, replayed, malformed, too_many_sources };
  // Decrypts in place and shortens `size`. The bytes are undefined unless the packet is accepted. A source of
  // which more than 2^15 packets were lost is found again, up to 2^16.
  Verdict unprotect(SrtpKind kind, uint8_t* data, size_t& size) noexcept;

 private:
  struct Source {
    uint32_t ssrc;
    uint32_t refused_in_row;  // RTP packets since the last accepted one
  };

  SrtpReceiver(const SrtpFunctions& srtp, srtp_t session, size_t max_sources);
  Verdict try_packet(SrtpKind kind, uint8_t* data, size_t& size) noexcept;
  bool try_next_roll_over(const Source& source, uint8_t* data, size_t& size) noexcept;
  Source* find(uint32_t ssrc) noexcept;

  const SrtpFunctions& srtp_;
  const srtp_t session_;
  const size_t max_sources_;
  std::vector<Source> sources_;
};

}  // namespace patchbay::lib
