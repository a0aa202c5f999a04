// Private to the library: one connection, kept alive by its pending operations.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <deque>

#include "websocket/callback_gate.h"
#include "websocket/client.h"
#include "websocket/io_thread_impl.h"
#include "websocket/url.h"

namespace patchbay::lib {

class WebSocketClient::Connection : public std::enable_shared_from_this<WebSocketClient::Connection> {
 public:
  Connection(IoThread& io, WebSocketUrl url, WebSocketOptions options, WebSocketCallbacks callbacks);

  void start();                                                           // [io]
  Status send(std::string message, bool binary);                          // [any]
  void close(uint16_t code, std::string reason, std::string error = {});  // [io]
  IoThread& io() { return io_; }
  CallbackGate& gate() { return gate_; }
  size_t queued_bytes() const { return queued_bytes_.load(std::memory_order_relaxed); }

 private:
  using Tcp = boost::asio::ip::tcp;
  using Plain = boost::beast::websocket::stream<boost::beast::tcp_stream>;
  using Secure = boost::beast::websocket::stream<boost::beast::ssl_stream<boost::beast::tcp_stream>>;
  using Error = boost::system::error_code;
  enum class State { connecting, open, closing, closed };
  struct Message {
    std::string data;
    bool binary;
  };

  template <class F>
  void with_stream(F&& f) {
    if (secure_)
      f(*secure_);
    else if (plain_)
      f(*plain_);
  }
  // Wraps a handler: keeps the connection alive, and is a no-op once it is closed.
  template <class F>
  auto bind(F&& f) {
    return [self = shared_from_this(), f = std::forward<F>(f)](auto&&... args) mutable {
      if (self->state_ != State::closed) f(*self, std::forward<decltype(args)>(args)...);
    };
  }

  bool make_stream();
  void resolve();
  void connect(const std::vector<Tcp::endpoint>& endpoints);
  void connected();
  void handshake_tls();
  void handshake_websocket();
  void opened();
  void read();
  void received();
  void enqueue(Message message);
  void write_next();
  void read_failed(const Error& error);
  void arm_deadline(int timeout_ms, const char* what);
  void fail(const std::string& what, const Error& error);
  void fail(std::string text);
  void set_closed(WebSocketClose close);

  // Borrowed.
  IoThread& io_;
  // Owned.
  const WebSocketUrl url_;
  const WebSocketOptions options_;
  WebSocketCallbacks callbacks_;
  CallbackGate gate_;
  std::shared_ptr<boost::asio::ssl::context> tls_;
  std::unique_ptr<Plain> plain_;
  std::unique_ptr<Secure> secure_;
  Tcp::resolver resolver_;
  boost::asio::steady_timer deadline_;
  boost::beast::flat_buffer buffer_;
  boost::beast::websocket::response_type response_;
  // State.
  State state_ = State::connecting;
  std::atomic<bool> open_{false};
  std::atomic<size_t> queued_bytes_{0};
  std::deque<Message> queue_;
  bool writing_ = false;
  uint16_t our_code_ = 0;
};

}  // namespace patchbay::lib
