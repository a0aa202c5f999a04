// The octets of one connection, plain or TLS. Asio stays behind this interface, so that the protocol above it
// needs neither Asio nor a network to be tested. All of it runs on the thread of the connection's loop.
#pragma once

#include <cstddef>
#include <memory>

namespace patchbay::rest_api {

enum class IoResult { ok, eof, failed };

class TransportClient {
 public:
  virtual ~TransportClient() = default;
  virtual void on_ready(IoResult result) = 0;
  virtual void on_read(IoResult result, size_t count) = 0;
  virtual void on_written(IoResult result, size_t count) = 0;
  virtual void on_lingered() = 0;
};

// Each operation keeps `client` alive until it has completed; none completes before it returns.
// At most one read and one write at a time; close makes both fail.
class Transport {
 public:
  using Client = std::shared_ptr<TransportClient>;

  virtual ~Transport() = default;
  virtual void start(Client client) = 0;  // the TLS handshake, or nothing; then on_ready
  virtual void read(char* buffer, size_t size, Client client) = 0;
  virtual void write(const char* data, size_t size, Client client) = 0;  // on_written may report a part
  // Says that no more will come, then discards what the client still sends until it closes too.
  virtual void linger(Client client) = 0;
  virtual void close() noexcept = 0;
};

}  // namespace patchbay::rest_api
