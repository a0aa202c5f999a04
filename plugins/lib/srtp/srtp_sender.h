// The state of protecting what we send under one master key: session keys, and the packet indices of each
// source. A MultiBuffer does the work, by libipsec-mb. One thread at a time; allocates nothing after
// create().
#pragma once

#include <patchbay/result.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "srtp/ipsec_mb_functions.h"
#include "srtp/key_derivation.h"
#include "srtp/master_key.h"
#include "srtp/packet_index.h"

namespace patchbay::lib {

class SrtpSender {
 public:
  static constexpr size_t kDefaultMaxSources = 4;

  // [any, may block] `max_sources`: SSRCs that may be sent; packets of further ones are refused.
  // Code::unavailable: libipsec-mb cannot be used.
  static Result<std::unique_ptr<SrtpSender>> create(const MasterKey& key,
                                                    size_t max_sources = kDefaultMaxSources);
  // With session keys that do not come from a master key, such as those of the RFCs' examples.
  static Result<std::unique_ptr<SrtpSender>> create(SrtpProfile profile, const SessionKeys& rtp,
                                                    const SessionKeys& rtcp,
                                                    size_t max_sources = kDefaultMaxSources);
  SrtpSender(const SrtpSender&) = delete;
  SrtpSender& operator=(const SrtpSender&) = delete;
  ~SrtpSender();

  const SrtpProfileInfo& profile() const noexcept { return profile_; }

 private:
  friend class MultiBuffer;

  // The session keys of RTP or of RTCP in the form that libipsec-mb uses.
  struct Prepared {
    alignas(64) gcm_key_data gcm;
    alignas(16) std::array<uint32_t, 4 * 11> encrypt;  // AES-128 round keys
    alignas(16) std::array<uint32_t, 4 * 11> decrypt;  // libipsec-mb writes them together with the others
    alignas(16) std::array<uint8_t, 20> inner;         // HMAC-SHA1 of the key's first block
    alignas(16) std::array<uint8_t, 20> outer;
    std::array<uint8_t, kMaxSrtpSaltBytes> salt;
  };
  struct Source {
    uint32_t ssrc = 0;
    SentIndices rtp;
    uint32_t next_rtcp = 1;  // as libsrtp2 and thus most peers count
  };

  SrtpSender(SrtpProfile profile, size_t max_sources);
  static void prepare(const SessionKeys& keys, const SrtpProfileInfo& profile, IMB_MGR& imb, Prepared& out);
  const Prepared& prepared(SrtpKind kind) const noexcept { return prepared_[static_cast<size_t>(kind)]; }
  Source* source_of(uint32_t ssrc) noexcept;
  // The index of the next packet of this source; nullopt: the packet must not be sent.
  std::optional<uint64_t> use_rtp_index(uint32_t ssrc, uint16_t sequence) noexcept;
  std::optional<uint32_t> use_rtcp_index(uint32_t ssrc) noexcept;

  const SrtpProfileInfo& profile_;
  const size_t max_sources_;
  std::vector<Source> sources_;
  std::array<Prepared, 2> prepared_{};  // of RTP and of RTCP
};

}  // namespace patchbay::lib
