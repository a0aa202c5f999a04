// Reads and writes the octets of one connection, plain or TLS. Hides Asio, so that Connection can be tested
// without it and without a network. Runs on the thread of the connection's loop.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

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

// Octets to write at once, in order; unused ones at the end are empty.
using WritePieces = std::array<std::string_view, 3>;

// Each operation keeps `client` alive until it completes, which is after the call returns. At most one read
// and one write at a time; close() makes both fail.
class Transport {
 public:
  using Client = std::shared_ptr<TransportClient>;

  virtual ~Transport() = default;
  virtual void start(Client client) = 0;  // TLS handshake, if any; then on_ready()
  virtual void read(char* buffer, size_t size, Client client) = 0;
  virtual void write(const WritePieces& pieces, Client client) = 0;  // on_written() may report a part
  // Writes what the kernel takes without waiting, and returns how many octets. Not during a write. 0: nothing
  // was written, or an error, which write() then reports.
  virtual size_t write_now(const WritePieces& /*pieces*/) noexcept { return 0; }
  // Ends the sending side, then discards input until the client closes; then on_lingered().
  virtual void linger(Client client) = 0;
  virtual void close() noexcept = 0;
};

}  // namespace patchbay::rest_api
