// ByteStream: bytes over a connected socket that does not block, plain or through TLS. One thread.
#pragma once

#include <openssl/types.h>

#include <cstddef>
#include <memory>
#include <string>

#include "websocket/tls_contexts.h"

namespace patchbay::lib {

class ByteStream {
 public:
  enum class State {
    done,         // `bytes` were moved
    wants_read,   // again when the socket is readable
    wants_write,  // again when the socket is writable
    ended,        // by the peer
    failed,       // error()
  };
  struct Moved {
    State state = State::done;
    size_t bytes = 0;
  };

  // Owns the socket.
  explicit ByteStream(int fd) : socket_{fd, 0} {}
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  int fd() const { return socket_.fd; }
  // Until the next call, TLS takes about kReadAtOnceBytes from the socket; then it wants to read. A peer
  // could otherwise keep one call busy with records that hold no data. While more bytes are in the socket,
  // the socket stays readable.
  void begin_turn();
  // Begins TLS; handshake() follows until it is done. `host`: a name or an address, which must be in the
  // peer's certificate if `verify` is set. `session_group`: connections with the same context, host, `verify`
  // and group resume each other's TLS sessions; "": none.
  bool start_tls(const TlsContext& context, const std::string& host, bool verify,
                 const std::string& session_group = {});
  State handshake();

  Moved read(char* to, size_t size);
  // After wants_write the next call must begin with the same bytes, and be as long at least.
  Moved write(const char* from, size_t size);
  // Returns whether bytes have arrived that make the socket not readable, because TLS has read them already.
  bool has_pending() const;
  // Returns how many bytes the kernel holds that it has never sent.
  size_t unsent_bytes() const;
  // Tells the peer that nothing more will be sent.
  void shut_down();

  const std::string& error() const { return error_; }

 private:
  State describe(int result);
  Moved socket_result(long result);

  struct Socket {
    const int fd;
    size_t turn_bytes;  // that TLS may still take in this turn
  };
  static int receive(BIO* bio, char* to, int size);
  static int transmit(BIO* bio, const char* from, int size);
  static BIO* make_bio(Socket& socket);

  Socket socket_;
  TlsContext context_;
  TlsSessions::Use session_use_;
  std::unique_ptr<SSL, void (*)(SSL*)> tls_{nullptr, nullptr};
  std::string error_;
};

}  // namespace patchbay::lib
