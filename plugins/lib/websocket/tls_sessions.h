// TlsSessions: sessions that servers offered to clients of one TLS context. A connection that resumes one
// saves the server's certificates and their verification, most of a handshake's processor time.
#pragma once

#include <openssl/types.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

struct ssl_session_st;  // SSL_SESSION

namespace patchbay::lib {

// Any thread.
class TlsSessions {
 public:
  // Which sessions a connection offers and resumes: those of connections with the same key, which must name
  // all that these must have in common.
  struct Use {
    std::shared_ptr<TlsSessions> sessions;
    std::string key;
    size_t offered = 0;  // by the server of this connection
  };

  // Makes the connections of the context pass their sessions to their Use.
  static void prepare(SSL_CTX& context);
  // Before the handshake. `use` must outlive `tls`.
  static void attach(SSL& tls, Use& use);
  // Drops the sessions of this key, because a server may fail where it should refuse one.
  void drop(const std::string& key);

 private:
  using Session = std::shared_ptr<ssl_session_st>;
  struct Entry {
    std::string key;
    Session session;
  };
  static int on_session(SSL* tls, ssl_session_st* session) noexcept;
  void add(const std::string& key, Session session);
  Session take(const std::string& key);

  std::mutex mutex_;           // guards the next
  std::deque<Entry> entries_;  // the oldest first
};

}  // namespace patchbay::lib
