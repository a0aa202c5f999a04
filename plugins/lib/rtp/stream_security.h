// The encryption of one stream, of which AudioStream knows only this: lib-srtp and lib-dtls implement it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "rtp/socket.h"

namespace patchbay::lib {

// SRTP with its keys. One thread at a time; allocates nothing for a packet.
class PacketProtection {
 public:
  // Room that protect() needs behind a packet.
  static constexpr size_t kMaxTrailerBytes = 20;

  enum class Kind : uint8_t { rtp, rtcp };
  // Decrypts in place. Returns false for a packet that is not authentic, or was received before.
  virtual bool unprotect(Kind kind, uint8_t* data, size_t& size) noexcept = 0;
  // Encrypts in place; `data` has room for kMaxTrailerBytes more. Returns false if it must not be sent.
  virtual bool protect(Kind kind, uint8_t* data, size_t& size) noexcept = 0;
  // Whether the packet indices of what `before` has protected go on here. They begin anew with a new key.
  virtual bool continues(const PacketProtection& before) const noexcept = 0;
  virtual ~PacketProtection() = default;
};

// Takes the datagrams of DTLS.
class DtlsSink {
 public:
  // [media] Copies the datagram.
  virtual void on_dtls(const Datagram& datagram) noexcept = 0;

 protected:
  ~DtlsSink() = default;
};

struct StreamSecurity {
  bool is_required = false;                      // nothing is sent or accepted without protection
  std::shared_ptr<PacketProtection> protection;  // null: no keys, or not yet
  DtlsSink* dtls = nullptr;                      // null: datagrams of DTLS are refused
  bool rtcp_mux = false;                         // RTCP is sent and received on the RTP port (RFC 5761)
};

}  // namespace patchbay::lib
