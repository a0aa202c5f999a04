#include "tls/sofia_tls.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <patchbay/text.h>
#include <sys/socket.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "stack/sip_limits.h"
#include "stack/tcp_watch.h"
#include "tls/ssl_release.h"

namespace patchbay::sip_trunk {
namespace {

// Forward secrecy is not demanded, because session border controllers of carriers live long.
constexpr char kSipCiphers[] = "HIGH:!aNULL:!PSK:!SRP:!MD5:@STRENGTH";

thread_local SofiaTls* capturing = nullptr;

lib::SocketAddress peer_of(const SSL& ssl) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  if (::getpeername(SSL_get_fd(&ssl), reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
  return lib::SocketAddress::from(storage);
}

bool is_connected_to(const lib::SocketAddress& peer) {
  const auto sockets = OwnSockets().list();
  return std::any_of(sockets.begin(), sockets.end(),
                     [&](const OwnSocket& socket) { return socket.is_stream && socket.remote == peer; });
}

std::string day_of(const ASN1_TIME* time) {
  tm parts{};
  char text[32] = "";
  if (ASN1_TIME_to_tm(time, &parts) == 1) (void)std::strftime(text, sizeof(text), "%Y-%m-%d", &parts);
  return text;
}

std::string issuer_of(X509* certificate) {
  char text[256] = "";
  X509_NAME_oneline(X509_get_issuer_name(certificate), text, sizeof(text));
  return printable_ascii(text, kMaxShownBytes);
}

// Why a chain is not trusted.
std::string chain_fault(X509_STORE_CTX& store) {
  X509* const certificate = X509_STORE_CTX_get_current_cert(&store);
  const int error = X509_STORE_CTX_get_error(&store);
  switch (certificate != nullptr ? error : 0) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "its certificate expired on " + day_of(X509_get0_notAfter(certificate));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "its certificate is valid only from " + day_of(X509_get0_notBefore(certificate)) +
             "; is the clock of this machine right?";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return "its certificate is signed by an authority that is not trusted here (" + issuer_of(certificate) +
             "); add that one's certificate to tlsCaFile";
    default:
      return std::string("its certificate is refused: ") + X509_verify_cert_error_string(error);
  }
}

// Why the peer refuses the handshake (RFC 8446 section 6.2).
std::string alert_fault(int alert) {
  switch (alert) {
    case SSL_AD_CERTIFICATE_REQUIRED:
      return "it requires a certificate of ours: set tlsCert and tlsKey";
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_ACCESS_DENIED:
      return std::string("it does not accept our certificate (tlsCert): ") +
             SSL_alert_desc_string_long(alert);
    default:
      return std::string("it refuses the TLS handshake: ") + SSL_alert_desc_string_long(alert);
  }
}

std::string name_fault(X509* certificate, const std::string& host) {
  return "its certificate is for " + names_of(certificate) + ", not for " + host;
}

}  // namespace

SofiaTls::Capture::Capture(SofiaTls& owner) {
  // OpenSSL calls this for each context of the process; only those of this thread are meant.
  static const int registered = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nullptr,
                                                        &SofiaTls::on_new_context, nullptr, nullptr);
  (void)registered;
  capturing = &owner;
}

SofiaTls::Capture::~Capture() {
  SofiaTls* const owner = std::exchange(capturing, nullptr);
  if (owner->context_ != nullptr) owner->adopt(*owner->context_);
}

void SofiaTls::on_new_context(void* context, void*, CRYPTO_EX_DATA*, int, long, void*) {
  if (capturing != nullptr) capturing->context_ = static_cast<SSL_CTX*>(context);
}

// Called when sofia-sip has prepared the context, so that its own settings do not overwrite these.
void SofiaTls::adopt(SSL_CTX& context) {
  SSL_CTX_set_app_data(&context, this);
  free_connections_with_bio(context);
  SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
  SSL_CTX_set_options(&context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_cipher_list(&context, kSipCiphers);
  SSL_CTX_set_info_callback(&context, &SofiaTls::on_info);
  SSL_CTX_set_cert_verify_callback(&context, &SofiaTls::on_verify, this);
  SSL_CTX_set_cert_cb(&context, &SofiaTls::on_certificate_wanted, this);
  if (certificates_) use(certificates_);
}

void SofiaTls::use(std::shared_ptr<const TlsCertificates> certificates) {
  certificates_ = std::move(certificates);
  if (context_ != nullptr) SSL_CTX_set1_cert_store(context_, certificates_->trusted.get());
}

Status SofiaTls::expect(const lib::SocketAddress& peer, const std::string& host) {
  if (peers_.size() >= kMaxTlsPeers && peers_.count(peer.text()) == 0) peers_.erase(peers_.begin());
  Peer& known = peers_[peer.text()];
  if (known.certificate && !is_for_host(known.certificate.get(), host)) {
    if (is_connected_to(peer)) {
      known.failure = name_fault(known.certificate.get(), host);
      return {Code::denied, known.failure};
    }
    known.hosts.clear();  // the next connection is for this host alone
  }
  if (const TlsCertificates* const ours = of_host(host)) {
    const bool is_other = known.trunk_files && *known.trunk_files != ours->trunk_files;
    if (is_other && is_connected_to(peer)) {
      known.failure = "a connection with the TLS files of another trunk is open to this address";
      return {Code::denied, known.failure};
    }
    if (is_other) known.hosts.clear();
    known.trunk_files = ours->trunk_files;
  }
  known.hosts.insert(host);
  return {};
}

const TlsCertificates* SofiaTls::of_host(const std::string& host) const {
  if (!certificates_) return nullptr;
  const auto found = certificates_->of_hosts.find(to_lower(host));
  return found == certificates_->of_hosts.end() ? nullptr : found->second.get();
}

const TlsCertificates* SofiaTls::of_connection(const SSL& ssl) const {
  const auto known =
      SSL_is_server(&const_cast<SSL&>(ssl)) != 0 ? peers_.end() : peers_.find(peer_of(ssl).text());
  if (known != peers_.end())
    for (const std::string& host : known->second.hosts)
      if (const TlsCertificates* const found = of_host(host)) return found;
  return certificates_.get();
}

std::string SofiaTls::failure(const lib::SocketAddress& peer) const {
  const auto known = peers_.find(peer.text());
  return known != peers_.end() ? known->second.failure : std::string();
}

void SofiaTls::on_info(const SSL* ssl, int where, int value) {
  auto* const self = static_cast<SofiaTls*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  if (self == nullptr || SSL_is_server(const_cast<SSL*>(ssl))) return;
  if (where == SSL_CB_HANDSHAKE_START && !SSL_is_init_finished(ssl)) self->begin(*const_cast<SSL*>(ssl));
  if (where == SSL_CB_READ_ALERT && (value >> 8) == SSL3_AL_FATAL)
    self->fail(*ssl, alert_fault(value & 0xFF));
  if (where != SSL_CB_CONNECT_EXIT || value > 0) return;
  // While the handshake waits for the peer, no error is queued.
  const unsigned long error = ERR_peek_error();
  if (error == 0 && SSL_want(ssl) != SSL_NOTHING) return;
  const char* reason = error != 0 ? ERR_reason_error_string(error) : "the peer closed the connection";
  self->fail(*ssl,
             std::string("the TLS handshake failed: ") + (reason != nullptr ? reason : "unknown error"));
}

// The first reason counts, because it is the most exact one.
void SofiaTls::fail(const SSL& ssl, std::string why) {
  const auto peer = peer_of(ssl);
  const auto known = peers_.find(peer.text());
  if (known == peers_.end()) return;
  if (known->second.failure.empty()) known->second.failure = std::move(why);
  known->second.hosts.clear();
  failed_(peer);
}

// Prepares a handshake that we begin, before the first message is written.
void SofiaTls::begin(SSL& ssl) {
  SSL_set_verify(&ssl, SSL_VERIFY_PEER, nullptr);  // so that the handshake fails, and the peer is told why
  const auto known = peers_.find(peer_of(ssl).text());
  if (known == peers_.end()) return;
  known->second.failure.clear();
  known->second.certificate.reset();
  if (const TlsCertificates* const ours = of_connection(ssl))
    SSL_set1_verify_cert_store(&ssl, ours->trusted.get());
  for (const std::string& host : known->second.hosts) {
    if (lib::SocketAddress::parse(host, 0)) continue;
    SSL_set_tlsext_host_name(&ssl, host.c_str());
    return;
  }
}

int SofiaTls::on_verify(X509_STORE_CTX* store, void* self) {
  const auto* ssl =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  return ssl != nullptr && static_cast<SofiaTls*>(self)->verify(*store, *ssl) ? 1 : 0;
}

bool SofiaTls::verify(X509_STORE_CTX& store, const SSL& ssl) {
  const auto known = peers_.find(peer_of(ssl).text());
  X509* const leaf = X509_STORE_CTX_get0_cert(&store);
  if (known == peers_.end() || leaf == nullptr) return false;
  Peer& peer = known->second;
  if (X509_verify_cert(&store) != 1) {
    peer.failure = chain_fault(store);
    return false;
  }
  for (const std::string& host : peer.hosts) {
    if (is_for_host(leaf, host)) continue;
    peer.failure = name_fault(leaf, host);
    X509_STORE_CTX_set_error(&store, X509_V_ERR_HOSTNAME_MISMATCH);
    return false;
  }
  X509_up_ref(leaf);
  peer.certificate.reset(leaf, X509_free);
  return !peer.hosts.empty();
}

int SofiaTls::on_certificate_wanted(SSL* ssl, void* self) {
  const TlsCertificates* ours = static_cast<SofiaTls*>(self)->of_connection(*ssl);
  if (ours == nullptr || !ours->leaf) return 1;
  const bool used = SSL_use_certificate(ssl, ours->leaf.get()) == 1 &&
                    SSL_use_PrivateKey(ssl, ours->key.get()) == 1 &&
                    SSL_set1_chain(ssl, ours->chain.get()) == 1;
  return used ? 1 : 0;
}

}  // namespace patchbay::sip_trunk
