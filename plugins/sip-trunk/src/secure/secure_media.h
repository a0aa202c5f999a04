// SecureMedia: what the secure calls of this plugin share: our certificate for DTLS, and libipsec-mb for each
// thread that sends.
#pragma once

#include <patchbay/result.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "dtls/dtls_certificate.h"
#include "rtp/stream_security.h"
#include "srtp/master_key.h"
#include "srtp/multi_buffer_pool.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"

namespace patchbay::sip_trunk {

// SRTP of one call with its keys. Created by SecureMedia.
class SrtpProtection final : public lib::PacketProtection {
 public:
  SrtpProtection(const lib::MasterKey& sent, std::shared_ptr<lib::SrtpSender> sender,
                 const lib::MasterKey& received, std::shared_ptr<lib::SrtpReceiver> receiver,
                 std::shared_ptr<lib::SrtpReceiver> receiver_before,
                 std::shared_ptr<lib::MultiBufferPool> pool);

  lib::SrtpProfile profile() const noexcept { return sent_.profile(); }
  const lib::MasterKey& sent_key() const noexcept { return sent_; }
  bool continues(const PacketProtection& before) const noexcept override {
    return sender_ == static_cast<const SrtpProtection&>(before).sender_;  // those of calls are of this class
  }

  bool unprotect(Kind kind, uint8_t* data, size_t& size) noexcept override;
  bool protect(Kind kind, uint8_t* data, size_t& size) noexcept override;

 private:
  friend class SecureMedia;
  const lib::MasterKey sent_;
  const lib::MasterKey received_;
  // Shared with the protection before, if the key is the same: indices and the replay window go on.
  const std::shared_ptr<lib::SrtpSender> sender_;
  const std::shared_ptr<lib::SrtpReceiver> receiver_;
  // With the peer's key before, for packets that were under way when it changed; null: none.
  const std::shared_ptr<lib::SrtpReceiver> receiver_before_;
  const std::shared_ptr<lib::MultiBufferPool> pool_;
  // Until the first RTP packet with the peer's key. Written by the media loop.
  std::atomic<bool> is_key_new_{true};
};

// Any thread but media loops.
class SecureMedia {
 public:
  // `previous`: of the same call; null: none. Code::unavailable: a library cannot be used.
  Result<std::shared_ptr<SrtpProtection>> protection(const lib::MasterKey& sent,
                                                     const lib::MasterKey& received,
                                                     const SrtpProtection* previous);
  Result<std::shared_ptr<const lib::DtlsCertificate>> certificate(int64_t now_ns) {
    return certificates_.current(now_ns);
  }

 private:
  Result<std::shared_ptr<lib::MultiBufferPool>> pool();

  lib::DtlsCertificates certificates_;
  std::mutex mutex_;                            // guards the next one
  std::shared_ptr<lib::MultiBufferPool> pool_;  // shared with the calls that use it
};

}  // namespace patchbay::sip_trunk
