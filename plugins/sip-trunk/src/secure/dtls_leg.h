// DtlsLeg: the DTLS sessions of one call, one after another if the peer changes its address or certificate.
// Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/strand.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dtls/dtls_transport.h"
#include "rtp/socket.h"

namespace patchbay::sip_trunk {

class DtlsLeg {
 public:
  struct Callbacks {
    Function<void(const lib::SocketAddress& to, const std::vector<uint8_t>& datagram)> send;
    Function<void(const lib::DtlsSrtpKeys& keys)> on_keys;
    Function<void(const std::string& why)> on_failed;
  };
  DtlsLeg(const Host& host, Callbacks callbacks);

  struct Session {
    std::shared_ptr<const lib::DtlsCertificate> certificate;
    lib::DtlsRole role = lib::DtlsRole::client;
    std::vector<lib::Fingerprint> fingerprints;
    lib::SocketAddress remote;      // of the peer's SDP
    lib::SocketAddress signalling;  // host that may send instead of it; invalid: none
  };
  // Begins the session; no-op if the same session exists (RFC 5763 section 6.6).
  void start(Session session);
  // Takes a datagram from the RTP port.
  void receive(const lib::Datagram& datagram);

 private:
  bool is_current(const Session& session) const;
  void send_waiting(const lib::SocketAddress& to);
  void proceed();

  const Host& host_;
  const Callbacks callbacks_;
  Session session_;
  std::unique_ptr<lib::DtlsTransport> transport_;
  lib::SocketAddress peer_;               // where what is sent again goes: the sender of the latest step
  bool is_done_ = false;                  // keys or failure were reported
  std::unique_ptr<lib::Datagram> early_;  // the latest one before start()
  Timer timer_;
};

}  // namespace patchbay::sip_trunk
