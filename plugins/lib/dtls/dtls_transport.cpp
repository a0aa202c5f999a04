#include "dtls/dtls_transport.h"

#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace patchbay::lib {
namespace {

constexpr int64_t kMaxRetransmissionUs = 3'000'000;
constexpr int kMinSecurityBits = 112;  // refuses RSA below 2048 bits
// As a server, a handshake that fails before the peer is known begins again, so that a forged message does
// not end it.
constexpr int kMaxRestarts = 8;
constexpr size_t kRecordHeaderBytes = 13;
constexpr size_t kHandshakeHeaderBytes = 12;

std::string profile_list(const std::vector<SrtpProfile>& profiles) {
  std::string list;
  for (const SrtpProfile profile : profiles) {
    if (!list.empty()) list += ':';
    switch (profile) {
      case SrtpProfile::aead_aes128_gcm:
        list += "SRTP_AEAD_AES_128_GCM";
        break;
      case SrtpProfile::aead_aes256_gcm:
        list += "SRTP_AEAD_AES_256_GCM";
        break;
      case SrtpProfile::aes128_cm_sha1_80:
        list += "SRTP_AES128_CM_SHA1_80";
        break;
      case SrtpProfile::aes128_cm_sha1_32:
        list += "SRTP_AES128_CM_SHA1_32";
        break;
    }
  }
  return list;
}

// The latest error of OpenSSL in this thread, which is then forgotten.
std::string take_error() {
  const unsigned long code = ERR_peek_last_error();
  const char* const reason = code != 0 ? ERR_reason_error_string(code) : nullptr;
  ERR_clear_error();
  return reason != nullptr ? reason : "unknown error";
}

uint32_t read_u24(const uint8_t* at) { return uint32_t{at[0]} << 16 | uint32_t{at[1]} << 8 | at[2]; }

// Whether a datagram begins with a ClientHello in several fragments, which OpenSSL's cookie exchange ignores.
bool is_fragmented_hello(std::span<const uint8_t> datagram) {
  if (datagram.size() < kRecordHeaderBytes + kHandshakeHeaderBytes || datagram[0] != 22) return false;
  const uint8_t* const handshake = datagram.data() + kRecordHeaderBytes;
  return handshake[0] == 1 && read_u24(handshake + 1) != read_u24(handshake + 9);
}

// Drops the records of alerts in the clear that are no fatal ones: anyone can forge a close_notify.
std::vector<uint8_t> without_clear_warnings(std::span<const uint8_t> datagram) {
  constexpr uint8_t kAlert = 21, kWarning = 1;
  std::vector<uint8_t> kept;
  while (!datagram.empty()) {
    size_t size = datagram.size();
    bool is_warning = false;
    if (size >= kRecordHeaderBytes) {
      const size_t body = size_t{datagram[11]} << 8 | datagram[12];
      size = std::min(size, kRecordHeaderBytes + body);
      const bool is_clear = datagram[3] == 0 && datagram[4] == 0;  // epoch
      is_warning = datagram[0] == kAlert && is_clear && body > 0 && size > kRecordHeaderBytes &&
                   datagram[kRecordHeaderBytes] == kWarning;
    }
    if (!is_warning)
      kept.insert(kept.end(), datagram.begin(), datagram.begin() + static_cast<ptrdiff_t>(size));
    datagram = datagram.subspan(size);
  }
  return kept;
}

}  // namespace

void DtlsTransport::Free::operator()(SSL* ssl) const noexcept { SSL_free(ssl); }

Result<std::unique_ptr<DtlsTransport>> DtlsTransport::create(
    std::shared_ptr<const DtlsCertificate> certificate, DtlsOptions options, int64_t now_ns) {
  std::unique_ptr<DtlsTransport> transport(
      new DtlsTransport(std::move(certificate), std::move(options), now_ns));
  if (RAND_bytes(transport->cookie_.data(), static_cast<int>(transport->cookie_.size())) != 1)
    return Error{Code::unavailable, "the system provides no random bytes"};
  PB_TRY(transport->start_session());
  if (transport->options_.role == DtlsRole::client) transport->proceed();
  return transport;
}

DtlsTransport::DtlsTransport(std::shared_ptr<const DtlsCertificate> certificate, DtlsOptions options,
                             int64_t now_ns)
    : certificate_(std::move(certificate)),
      options_(std::move(options)),
      deadline_ns_(now_ns + options_.max_handshake_ms * 1'000'000),
      bio_(options_.mtu) {}

DtlsTransport::~DtlsTransport() = default;

void DtlsTransport::set_callbacks(SSL_CTX& context) {
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_cert_verify_callback(&context, &DtlsTransport::verify_peer, nullptr);
  SSL_CTX_set_cookie_generate_cb(&context, &DtlsTransport::make_cookie);
  SSL_CTX_set_cookie_verify_cb(&context, &DtlsTransport::check_cookie);
}

int DtlsTransport::self_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

DtlsTransport& DtlsTransport::self_of(const SSL* ssl) {
  return *static_cast<DtlsTransport*>(SSL_get_ex_data(ssl, self_index()));
}

Status DtlsTransport::start_session() {
  ERR_clear_error();
  ssl_.reset(SSL_new(&certificate_->context()));
  BIO* const bio = ssl_ ? bio_.create() : nullptr;
  if (bio == nullptr) return {Code::unavailable, "no DTLS session can be created"};
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_mtu(ssl_.get(), static_cast<long>(options_.mtu));
  DTLS_set_timer_cb(ssl_.get(), &DtlsTransport::next_timeout_us);
  const bool is_server = options_.role == DtlsRole::server;
  is_waiting_for_cookie_ = is_server && options_.cookie;
  if (SSL_set_ex_data(ssl_.get(), self_index(), this) != 1 ||
      SSL_set_tlsext_use_srtp(ssl_.get(), profile_list(options_.profiles).c_str()) != 0)
    return {Code::unavailable, "DTLS-SRTP is not available: " + take_error()};
  is_server ? SSL_set_accept_state(ssl_.get()) : SSL_set_connect_state(ssl_.get());
  return {};
}

bool DtlsTransport::receive(std::span<const uint8_t> datagram, int64_t now_ns) {
  if (state_ == State::failed || state_ == State::closed || datagram.empty() ||
      datagram.size() > kMaxDatagramBytes)
    return false;
  const bool is_handshake = state_ == State::handshake;
  has_received_ = true;
  if (is_handshake && (steps_ > kMaxHandshakeSteps || now_ns >= deadline_ns_)) {
    on_timer(now_ns);
    return false;
  }
  const auto before = SSL_get_state(ssl_.get());
  ERR_clear_error();
  const std::vector<uint8_t> kept = is_handshake ? without_clear_warnings(datagram) : std::vector<uint8_t>();
  if (is_handshake) datagram = kept;
  if (datagram.empty()) return false;
  bio_.set_incoming(datagram);
  if (!answer_with_cookie(datagram)) proceed();
  bio_.clear_incoming();
  const bool is_step = is_handshake && (state_ != State::handshake || SSL_get_state(ssl_.get()) != before);
  if (is_step) ++steps_;
  return is_step;
}

// Returns whether the datagram was a ClientHello without a valid cookie, which leaves no state.
bool DtlsTransport::answer_with_cookie(std::span<const uint8_t> datagram) {
  if (!is_waiting_for_cookie_) return false;
  if (is_fragmented_hello(datagram)) {
    is_waiting_for_cookie_ = false;
    return false;
  }
  const std::unique_ptr<BIO_ADDR, decltype(&BIO_ADDR_free)> peer(BIO_ADDR_new(), &BIO_ADDR_free);
  is_waiting_for_cookie_ = !peer || DTLSv1_listen(ssl_.get(), peer.get()) <= 0;
  ERR_clear_error();
  return is_waiting_for_cookie_;
}

// Lets OpenSSL work until it needs another datagram.
void DtlsTransport::proceed() {
  if (state_ == State::handshake) {
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) return on_connected();
    return on_error(result);
  }
  // Alerts, and repeated messages of a peer that did not get our last ones. Data is not expected.
  std::array<uint8_t, kMaxDatagramBytes> ignored;
  const int result = SSL_read(ssl_.get(), ignored.data(), static_cast<int>(ignored.size()));
  if (result <= 0) on_error(result);
}

void DtlsTransport::on_error(int result) {
  const int error = SSL_get_error(ssl_.get(), result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return;
  if (error == SSL_ERROR_ZERO_RETURN) {
    if (state_ == State::handshake) return fail("the peer ended the DTLS handshake");
    state_ = State::closed;
    return;
  }
  const std::string reason = take_error();
  if (state_ == State::connected) {
    state_ = State::closed;  // by an alert of the peer, which is authentic by now
    return;
  }
  const bool may_restart = options_.role == DtlsRole::server && failure_.empty() && !is_peer_verified_;
  if (may_restart && restarts_++ < kMaxRestarts && start_session()) return;
  fail(failure_.empty() ? "the DTLS handshake failed: " + reason : failure_);
}

void DtlsTransport::fail(std::string why) {
  state_ = State::failed;
  failure_ = std::move(why);
}

void DtlsTransport::on_connected() {
  const SRTP_PROTECTION_PROFILE* const chosen = SSL_get_selected_srtp_profile(ssl_.get());
  const auto profile =
      chosen != nullptr ? srtp_profile_of_dtls(static_cast<uint16_t>(chosen->id)) : std::nullopt;
  if (!profile) return fail("the peer supports none of our SRTP profiles");
  // Client's key, server's key, client's salt, server's salt (RFC 5764 section 4.2).
  const size_t key = info_of(*profile).key_bytes, salt = info_of(*profile).salt_bytes;
  std::array<unsigned char, 2 * (kMaxSrtpKeyBytes + kMaxSrtpSaltBytes)> exported;
  static constexpr std::string_view kLabel = "EXTRACTOR-dtls_srtp";
  if (SSL_export_keying_material(ssl_.get(), exported.data(), 2 * (key + salt), kLabel.data(), kLabel.size(),
                                 nullptr, 0, 0) != 1)
    return fail("the keys of SRTP cannot be exported: " + take_error());
  const auto key_at = [&](size_t side) {
    std::string text(reinterpret_cast<const char*>(exported.data()) + side * key, key);
    text.append(reinterpret_cast<const char*>(exported.data()) + 2 * key + side * salt, salt);
    const MasterKey made = *MasterKey::from(*profile, text);
    OPENSSL_cleanse(text.data(), text.size());
    return made;
  };
  const size_t ours = options_.role == DtlsRole::client ? 0 : 1;
  keys_.emplace(DtlsSrtpKeys{key_at(ours), key_at(1 - ours)});
  OPENSSL_cleanse(exported.data(), exported.size());
  state_ = State::connected;
}

void DtlsTransport::on_timer(int64_t now_ns) {
  if (state_ != State::handshake) return;
  if (now_ns >= deadline_ns_ || steps_ > kMaxHandshakeSteps)
    return fail(has_received_ ? "the DTLS handshake did not end within its limits"
                              : "the peer sent no DTLS within " +
                                    std::to_string(options_.max_handshake_ms / 1000) + " s");
  ERR_clear_error();
  if (DTLSv1_handle_timeout(ssl_.get()) < 0) on_error(-1);
}

std::optional<int64_t> DtlsTransport::timer_due_ns(int64_t now_ns) const {
  if (state_ != State::handshake) return std::nullopt;
  timeval left{};
  if (DTLSv1_get_timeout(ssl_.get(), &left) != 1) return deadline_ns_;
  return std::min(deadline_ns_, now_ns + left.tv_sec * 1'000'000'000 + left.tv_usec * 1'000);
}

void DtlsTransport::close() {
  if (state_ != State::connected) return;
  ERR_clear_error();
  (void)SSL_shutdown(ssl_.get());
  state_ = State::closed;
}

unsigned DtlsTransport::next_timeout_us(SSL* ssl, unsigned previous_us) {
  if (previous_us == 0) return static_cast<unsigned>(self_of(ssl).options_.first_retransmission_ms * 1000);
  return static_cast<unsigned>(std::min<int64_t>(int64_t{previous_us} * 2, kMaxRetransmissionUs));
}

int DtlsTransport::make_cookie(SSL* ssl, unsigned char* out, unsigned* size) {
  const auto& cookie = self_of(ssl).cookie_;
  std::memcpy(out, cookie.data(), cookie.size());
  *size = static_cast<unsigned>(cookie.size());
  return 1;
}

int DtlsTransport::check_cookie(SSL* ssl, const unsigned char* cookie, unsigned size) {
  const auto& ours = self_of(ssl).cookie_;
  return size == ours.size() && CRYPTO_memcmp(cookie, ours.data(), size) == 0 ? 1 : 0;
}

// The certificate is self-signed: what counts is that SDP names its fingerprint.
int DtlsTransport::verify_peer(X509_STORE_CTX* store, void*) {
  const auto* ssl =
      static_cast<const SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  DtlsTransport& self = self_of(ssl);
  self.is_peer_verified_ = self.is_expected(*store);
  X509_STORE_CTX_set_error(store, self.is_peer_verified_ ? X509_V_OK : X509_V_ERR_CERT_REJECTED);
  return self.is_peer_verified_ ? 1 : 0;
}

bool DtlsTransport::is_expected(X509_STORE_CTX& store) {
  const X509* const certificate = X509_STORE_CTX_get0_cert(&store);
  const EVP_PKEY* const key = certificate != nullptr ? X509_get0_pubkey(certificate) : nullptr;
  if (key == nullptr || EVP_PKEY_get_security_bits(key) < kMinSecurityBits) {
    failure_ = "the key of the peer's DTLS certificate is too weak";
    return false;
  }
  for (const Fingerprint& expected : options_.peer_fingerprints) {
    const auto actual = fingerprint_of(*certificate, expected.hash);
    if (actual && *actual == expected) return true;
  }
  failure_ = "the peer's DTLS certificate is not the one whose fingerprint its SDP names";
  return false;
}

}  // namespace patchbay::lib
