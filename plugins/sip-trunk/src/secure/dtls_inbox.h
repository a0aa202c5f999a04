// DtlsInbox: brings datagrams of DTLS from the media loop to the main strand, because a handshake takes too
// long for the loop.
#pragma once

#include <patchbay/function.h>
#include <patchbay/host.h>

#include <array>
#include <atomic>

#include "rtp/stream_security.h"

namespace patchbay::sip_trunk {

class DtlsInbox final : public lib::DtlsSink {
 public:
  // Calls f(datagram) on the main strand, also for datagrams that came before the port was closed.
  DtlsInbox(const Host& host, Function<void(const lib::Datagram&)> f);
  DtlsInbox(const DtlsInbox&) = delete;
  DtlsInbox& operator=(const DtlsInbox&) = delete;

  // [media] Drops the datagram while 16 wait: DTLS repeats what is lost.
  void on_dtls(const lib::Datagram& datagram) noexcept override;

 private:
  static void deliver(void* self) noexcept;

  const Host& host_;
  const Function<void(const lib::Datagram&)> f_;
  std::array<lib::Datagram, 16> ring_;
  std::atomic<uint32_t> written_{0};  // by the media loop
  std::atomic<uint32_t> read_{0};     // by the main strand
};

}  // namespace patchbay::sip_trunk
