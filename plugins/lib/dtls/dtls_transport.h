// One DTLS 1.2 session that agrees on SRTP keys (DTLS-SRTP, RFC 5763 and RFC 5764). It has no socket, thread
// or timer: the caller brings datagrams and time, and sends what it returns. One thread at a time, which must
// not be a media loop: a handshake takes about half a millisecond of processor time (tests/bench,
// bench-dtls).
#pragma once

#include <patchbay/result.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dtls/datagram_bio.h"
#include "dtls/dtls_certificate.h"
#include "dtls/fingerprint.h"
#include "srtp/master_key.h"

using SSL = struct ssl_st;
using X509_STORE_CTX = struct x509_store_ctx_st;

namespace patchbay::lib {

enum class DtlsRole : uint8_t { client, server };

struct DtlsOptions {
  DtlsRole role = DtlsRole::client;
  // One of them must match the peer's certificate.
  std::vector<Fingerprint> peer_fingerprints;
  // In order of preference.
  std::vector<SrtpProfile> profiles = {SrtpProfile::aead_aes128_gcm, SrtpProfile::aes128_cm_sha1_80};
  // As a server, answer only a peer that receives what we send to its address. Costs a round trip; not needed
  // where ICE has checked the address.
  bool cookie = true;
  size_t mtu = 1200;
  int64_t first_retransmission_ms = 400;  // doubled each time, up to 3 s
  int64_t max_handshake_ms = 15'000;
};

// Keys of both directions.
struct DtlsSrtpKeys {
  MasterKey sent;
  MasterKey received;
};

class DtlsTransport {
 public:
  // A datagram that is longer is ignored. A handshake that this number of datagrams has brought forward ends;
  // forged ones do not count.
  static constexpr size_t kMaxDatagramBytes = 2048;
  static constexpr size_t kMaxHandshakeSteps = 500;

  // Times are monotonic. Code::unavailable: the cryptographic library failed.
  static Result<std::unique_ptr<DtlsTransport>> create(std::shared_ptr<const DtlsCertificate> certificate,
                                                       DtlsOptions options, int64_t now_ns);
  DtlsTransport(const DtlsTransport&) = delete;
  DtlsTransport& operator=(const DtlsTransport&) = delete;
  ~DtlsTransport();

  enum class State : uint8_t { handshake, connected, closed, failed };
  State state() const noexcept { return state_; }
  // Why the state is failed, in words for an operator.
  const std::string& failure() const noexcept { return failure_; }
  // Set once connected.
  const std::optional<DtlsSrtpKeys>& keys() const noexcept { return keys_; }

  // Handles a datagram of the peer, whose address the caller has checked. Ignores what is not valid DTLS.
  // Returns whether it has brought the handshake forward, so that it probably is the peer's.
  bool receive(std::span<const uint8_t> datagram, int64_t now_ns);
  // False while a server waits for a ClientHello with its cookie; until then each datagram's answer goes to
  // its sender. Later messages, which may also be repetitions by OpenSSL's clock, are for the peer.
  bool has_begun() const noexcept { return options_.role == DtlsRole::client || steps_ > 0; }
  // Call it when timer_due_ns() is reached, or later.
  void on_timer(int64_t now_ns);
  // Nullopt: none is needed. OpenSSL measures by the wall clock, so that a clock that is set back during a
  // handshake delays retransmissions; max_handshake_ms always ends it.
  std::optional<int64_t> timer_due_ns(int64_t now_ns) const;
  // Takes the oldest datagram to send; empty: none. Call it after create() and each call above.
  std::vector<uint8_t> take_outgoing() { return bio_.take_outgoing(); }
  // Tells the peer that the session ends.
  void close();

 private:
  friend class DtlsCertificate;
  struct Free {
    void operator()(SSL* ssl) const noexcept;
  };

  DtlsTransport(std::shared_ptr<const DtlsCertificate> certificate, DtlsOptions options, int64_t now_ns);
  // Called for each new certificate.
  static void set_callbacks(SSL_CTX& context);
  static int verify_peer(X509_STORE_CTX* store, void*);
  static int make_cookie(SSL* ssl, unsigned char* out, unsigned* size);
  static int check_cookie(SSL* ssl, const unsigned char* cookie, unsigned size);
  static unsigned next_timeout_us(SSL* ssl, unsigned previous_us);
  static int self_index();
  static DtlsTransport& self_of(const SSL* ssl);

  Status start_session();
  bool answer_with_cookie(std::span<const uint8_t> datagram);
  void proceed();
  void on_connected();
  void on_error(int result);
  void fail(std::string why);
  bool is_expected(X509_STORE_CTX& store);

  const std::shared_ptr<const DtlsCertificate> certificate_;
  const DtlsOptions options_;
  const int64_t deadline_ns_;
  DatagramBio bio_;
  std::array<uint8_t, 32> cookie_{};
  std::unique_ptr<SSL, Free> ssl_;
  State state_ = State::handshake;
  std::string failure_;
  std::optional<DtlsSrtpKeys> keys_;
  bool has_received_ = false;
  size_t steps_ = 0;
  int restarts_ = 0;
  bool is_waiting_for_cookie_ = false;
  bool is_peer_verified_ = false;
};

}  // namespace patchbay::lib
