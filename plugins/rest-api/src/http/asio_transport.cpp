#include "asio_transport.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <boost/asio/post.hpp>
#include <tuple>
#include <vector>

namespace patchbay::rest_api {
namespace {

namespace asio = boost::asio;
using Socket = asio::generic::stream_protocol::socket;
using AsioError = boost::system::error_code;

IoResult result_of(const AsioError& error) noexcept {
  if (!error) return IoResult::ok;
  const bool ended = error == asio::error::eof || error == asio::ssl::error::stream_truncated;
  return ended ? IoResult::eof : IoResult::failed;
}

Socket adopt(asio::io_context& loop, int fd) {
  int family = 0;
  socklen_t size = sizeof family;
  ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size);
  Socket socket(loop);
  AsioError ignored;
  socket.assign(asio::generic::stream_protocol(family, 0), fd, ignored);
  return socket;
}

void discard(Socket& stream, std::vector<char>& scratch, Transport::Client client) {
  stream.async_read_some(asio::buffer(scratch), [&stream, &scratch, client = std::move(client)](
                                                    const AsioError& error, size_t) mutable {
    if (error) return client->on_lingered();
    discard(stream, scratch, std::move(client));
  });
}

class PlainTransport final : public Transport {
 public:
  PlainTransport(asio::io_context& loop, int fd) : socket_(adopt(loop, fd)) {}

  void start(Client client) override {
    asio::post(socket_.get_executor(), [client] { client->on_ready(IoResult::ok); });
  }
  void read(char* buffer, size_t size, Client client) override {
    socket_.async_read_some(
        asio::buffer(buffer, size),
        [client = std::move(client)](const AsioError& e, size_t n) { client->on_read(result_of(e), n); });
  }
  void write(const WritePieces& pieces, Client client) override {
    std::array<asio::const_buffer, 3> buffers;
    for (size_t i = 0; i < pieces.size(); ++i) buffers[i] = asio::buffer(pieces[i].data(), pieces[i].size());
    socket_.async_write_some(buffers, [client = std::move(client)](const AsioError& e, size_t n) {
      client->on_written(result_of(e), n);
    });
  }
  // Not by Asio, which would queue the completion and poll once more before it runs it.
  size_t write_now(const WritePieces& pieces) noexcept override {
    std::array<iovec, std::tuple_size_v<WritePieces>> parts;
    for (size_t i = 0; i < parts.size(); ++i)
      parts[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t written = ::sendmsg(socket_.native_handle(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    return written > 0 ? static_cast<size_t>(written) : 0;
  }
  void linger(Client client) override {
    AsioError ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
    scratch_.resize(4096);
    discard(socket_, scratch_, std::move(client));
  }
  void close() noexcept override {
    AsioError ignored;
    socket_.close(ignored);
  }

 private:
  Socket socket_;
  std::vector<char> scratch_;  // empty until linger(), because idle connections are many
};

class TlsTransport final : public Transport {
 public:
  TlsTransport(asio::io_context& loop, int fd, std::shared_ptr<TlsContext> context)
      : context_(std::move(context)), stream_(adopt(loop, fd), context_->ssl) {}

  void start(Client client) override {
    stream_.async_handshake(asio::ssl::stream_base::server, [client = std::move(client)](const AsioError& e) {
      client->on_ready(result_of(e));
    });
  }
  void read(char* buffer, size_t size, Client client) override {
    reading_ = true;
    stream_.async_read_some(asio::buffer(buffer, size),
                            [this, client = std::move(client)](const AsioError& e, size_t n) {
                              reading_ = false;
                              client->on_read(result_of(e), n);
                              if (lingering_) client->on_lingered();
                            });
  }
  // One piece after the other, because the TLS engine takes one.
  void write(const WritePieces& pieces, Client client) override {
    stream_.async_write_some(
        asio::buffer(pieces.front().data(), pieces.front().size()),
        [client = std::move(client)](const AsioError& e, size_t n) { client->on_written(result_of(e), n); });
  }
  // Sends close_notify; during a read, which uses the TLS engine, it ends the TCP stream instead.
  void linger(Client client) override {
    if (!reading_)
      return stream_.async_shutdown(
          [client = std::move(client)](const AsioError&) { client->on_lingered(); });
    lingering_ = true;
    AsioError ignored;
    stream_.next_layer().shutdown(Socket::shutdown_send, ignored);
  }
  void close() noexcept override {
    AsioError ignored;
    stream_.next_layer().close(ignored);
  }

 private:
  // Shared with the listener, where a reload replaces it.
  std::shared_ptr<TlsContext> context_;
  asio::ssl::stream<Socket> stream_;
  bool reading_ = false;
  bool lingering_ = false;
};

}  // namespace

std::unique_ptr<Transport> make_transport(asio::io_context& loop, int fd, std::shared_ptr<TlsContext> tls) {
  if (tls) return std::make_unique<TlsTransport>(loop, fd, std::move(tls));
  return std::make_unique<PlainTransport>(loop, fd);
}

}  // namespace patchbay::rest_api
