#include "websocket/tls_sessions.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "websocket/limits.h"

namespace patchbay::lib {
namespace {

// A session of OpenSSL is changed by the connections that use it, and is made unusable when one of them is
// lost.
std::shared_ptr<SSL_SESSION> copy(const SSL_SESSION& session) {
  return {::SSL_SESSION_dup(&session), &::SSL_SESSION_free};
}

size_t ticket_bytes(const SSL_SESSION& session) {
  const unsigned char* ticket = nullptr;
  size_t size = 0;
  ::SSL_SESSION_get0_ticket(&session, &ticket, &size);
  return size;
}

}  // namespace

void TlsSessions::prepare(SSL_CTX& context) {
  ::SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  ::SSL_CTX_sess_set_new_cb(&context, &on_session);
}

void TlsSessions::attach(SSL& tls, Use& use) {
  SSL_set_app_data(&tls, &use);
  if (const Session session = use.sessions->take(use.key)) ::SSL_set_session(&tls, session.get());
}

void TlsSessions::drop(const std::string& key) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.key == key; });
}

// Returns 0, because OpenSSL keeps its session.
int TlsSessions::on_session(SSL* tls, SSL_SESSION* session) noexcept {
  auto* const use = static_cast<Use*>(SSL_get_app_data(tls));
  if (use == nullptr || use->offered == kMaxTlsSessionsOfPeer || ticket_bytes(*session) > kMaxTlsTicketBytes)
    return 0;
  ++use->offered;
  try {
    if (Session copied = copy(*session)) use->sessions->add(use->key, std::move(copied));
  } catch (...) {
    // Out of memory: a later connection makes a whole handshake.
  }
  return 0;
}

void TlsSessions::add(const std::string& key, Session session) {
  const std::lock_guard lock(mutex_);
  const auto is_same = [&](const Entry& entry) { return entry.key == key; };
  const auto held = static_cast<size_t>(std::count_if(entries_.begin(), entries_.end(), is_same));
  if (held >= kMaxTlsSessionsOfPeer) entries_.erase(std::find_if(entries_.begin(), entries_.end(), is_same));
  if (entries_.size() >= kMaxTlsSessions) entries_.pop_front();
  entries_.push_back({key, std::move(session)});
}

// Returns the newest; null: none. A session of TLS 1.3 is used once (RFC 8446 appendix C.4), because an
// observer could otherwise tell that two connections are of one client.
TlsSessions::Session TlsSessions::take(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto newest =
      std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) { return entry.key == key; });
  if (newest == entries_.rend()) return nullptr;
  if (::SSL_SESSION_get_protocol_version(newest->session.get()) < TLS1_3_VERSION)
    return copy(*newest->session);
  Session session = std::move(newest->session);
  entries_.erase(std::prev(newest.base()));
  return session;
}

}  // namespace patchbay::lib
