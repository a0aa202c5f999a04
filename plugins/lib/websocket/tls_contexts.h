// TlsContexts: settings of TLS clients by CA file, shared by threads, because reading Debian's bundle of
// authorities takes milliseconds and 250 KB of memory, and a session can be resumed on any thread.
#pragma once

#include <openssl/types.h>
#include <patchbay/result.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "websocket/tls_sessions.h"

namespace patchbay::lib {

struct TlsContext {
  std::shared_ptr<SSL_CTX> settings;
  std::shared_ptr<TlsSessions> sessions;
};

// Any thread.
class TlsContexts {
 public:
  // Returns the context that trusts the system's authorities and those of `ca_file` ("": none). May block
  // while it reads files, without blocking other threads.
  Result<TlsContext> get(const std::string& ca_file);

 private:
  std::mutex mutex_;  // guards the next
  std::map<std::string, TlsContext> by_ca_file_;
};

// Describes the first error in OpenSSL's queue of this thread, and empties the queue.
std::string take_tls_error();

}  // namespace patchbay::lib
