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
  // A source (SSRC) beyond this number replaces the source that has been silent the longest, because
  // otherwise an authenticated peer could use memory without limit.
  static constexpr size_t kDefaultMaxSources = 32;

  // [any, may block] Code::unavailable: libsrtp2 cannot be used.
  static Result<std::unique_ptr<SrtpReceiver>> create(const MasterKey& key,
                                                      size_t max_sources = kDefaultMaxSources);
  SrtpReceiver(const SrtpReceiver&) = delete;
  SrtpReceiver& operator=(const SrtpReceiver&) = delete;
  ~SrtpReceiver();

  enum class Verdict { accepted, forged, replayed, malformed };
  // Decrypts in place and shortens `size`. The bytes are undefined unless the packet is accepted. A source of
  // which more than 2^15 packets were lost is found again, up to 2^16. `before`: the receiver with the peer's
  // key before, whose roll-over counts may go on (RFC 3711 section 3.3.1); null: none.
  Verdict unprotect(SrtpKind kind, uint8_t* data, size_t& size,
                    const SrtpReceiver* before = nullptr) noexcept;

 private:
  struct Source {
    uint32_t ssrc = 0;
    uint32_t refused_in_row = 0;  // RTP packets since the last accepted one
    bool has_rtp = false;         // was accepted, so that its roll-over count is known
    uint64_t used = 0;            // when its latest packet was accepted, counted in packets
  };

  SrtpReceiver(const SrtpFunctions& srtp, const MasterKey& key, srtp_t session, size_t max_sources);
  Verdict try_packet(SrtpKind kind, uint8_t* data, size_t& size) noexcept;
  bool try_other_roll_overs(const Source* source, uint32_t ssrc, uint8_t* data, size_t& size,
                            const SrtpReceiver* before) noexcept;
  bool try_roll_over(uint32_t ssrc, uint32_t count, uint8_t* data, size_t& size) noexcept;
  uint32_t roll_over_of(uint32_t ssrc) const noexcept;
  const Source* find(uint32_t ssrc) const noexcept;
  Source& add(uint32_t ssrc) noexcept;

  const SrtpFunctions& srtp_;
  const MasterKey key_;
  const srtp_t session_;
  const size_t max_sources_;
  std::vector<Source> sources_;
  uint32_t refused_unknown_ = 0;  // RTP packets of other sources, since the last accepted one of a new source
  uint64_t accepted_ = 0;         // packets
  bool has_rtp_ = false;          // of any source
};

}  // namespace patchbay::lib
