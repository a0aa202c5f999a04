#include "websocket/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <patchbay/utf8.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/http/field.hpp>
#include <chrono>

#include "text/safe_text.h"

namespace patchbay::lib {
namespace net = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;

namespace {
constexpr auto kCloseTimeout = std::chrono::seconds(2);
constexpr size_t kKeptBuffer = 256 * 1024;
constexpr size_t kReadAtOnce = 64 * 1024;

websocket::stream_base::timeout timeouts(std::chrono::milliseconds handshake, int idle_ms) {
  // Sends no pings, because servers under load answer them only after half a minute.
  return {handshake, idle_ms > 0 ? std::chrono::milliseconds(idle_ms) : websocket::stream_base::none(),
          false};
}
}  // namespace

WebSocketClient::Connection::Connection(IoThread& io, WebSocketUrl url, WebSocketOptions options,
                                        WebSocketCallbacks callbacks)
    : io_(io),
      url_(std::move(url)),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      resolver_(io.impl().context),
      deadline_(io.impl().context) {}

void WebSocketClient::Connection::start() {
  if (state_ == State::closed || !make_stream()) return;
  arm_deadline(options_.connect_timeout_ms, "connect");
  resolve();
}

bool WebSocketClient::Connection::make_stream() {
  auto& context = io_.impl().context;
  if (!url_.tls) {
    plain_ = std::make_unique<Plain>(context);
    return true;
  }
  tls_ = io_.impl().tls->find(options_.ca_file);
  if (!tls_) {
    auto fresh = std::make_shared<net::ssl::context>(net::ssl::context::tls_client);
    Error error;
    fresh->set_options(net::ssl::context::default_workarounds | net::ssl::context::no_sslv3 |
                           net::ssl::context::no_tlsv1 | net::ssl::context::no_tlsv1_1,
                       error);
    fresh->set_default_verify_paths(error);
    if (!options_.ca_file.empty()) {
      fresh->load_verify_file(options_.ca_file, error);
      if (error) return fail("CA file " + options_.ca_file, error), false;
    }
    tls_ = io_.impl().tls->add(options_.ca_file, std::move(fresh));
  }
  secure_ = std::make_unique<Secure>(context, *tls_);
  auto& ssl = secure_->next_layer();
  Error error;
  ssl.set_verify_mode(options_.verify_peer ? net::ssl::verify_peer : net::ssl::verify_none, error);
  if (options_.verify_peer) ssl.set_verify_callback(net::ssl::host_name_verification(url_.host), error);
  net::ip::make_address(url_.host, error);
  // Only for a name: SNI allows no addresses (RFC 6066 section 3).
  if (error) SSL_set_tlsext_host_name(ssl.native_handle(), url_.host.c_str());
  return true;
}

void WebSocketClient::Connection::resolve() {
  Error error;
  auto address = net::ip::make_address(url_.host, error);
  auto port = static_cast<uint16_t>(std::stoul(url_.port));
  if (!error) return connect({Tcp::endpoint(address, port)});
  resolver_.async_resolve(
      url_.host, url_.port,
      bind([](Connection& c, const Error& failed, const Tcp::resolver::results_type& found) {
        if (failed) return c.fail("resolve " + c.url_.host, failed);
        std::vector<Tcp::endpoint> endpoints;
        for (const auto& entry : found) endpoints.push_back(entry.endpoint());
        c.connect(endpoints);
      }));
}

void WebSocketClient::Connection::connect(const std::vector<Tcp::endpoint>& endpoints) {
  std::vector<Tcp::endpoint> allowed;
  for (const auto& endpoint : endpoints)
    if (!options_.allow_address || options_.allow_address(endpoint.address().to_string()))
      allowed.push_back(endpoint);
  if (allowed.empty()) return fail("connect: the address of " + url_.host + " is not allowed");
  auto connected = [self = shared_from_this()](const Error& error, const Tcp::endpoint&) {
    if (self->state_ == State::closed) return;
    if (error) return self->fail("connect", error);
    self->connected();
  };
  with_stream([&](auto& s) { beast::get_lowest_layer(s).async_connect(allowed, std::move(connected)); });
}

void WebSocketClient::Connection::connected() {
  with_stream([this](auto& stream) {
    auto& tcp = beast::get_lowest_layer(stream);
    Error ignored;
    tcp.expires_never();  // the WebSocket layer sets its own time-outs
    tcp.socket().set_option(Tcp::no_delay(true), ignored);
    tcp.socket().set_option(net::socket_base::keep_alive(true), ignored);
    // Otherwise the kernel buffers megabytes for a slow peer, and buffered data cannot be dropped.
    const int unsent = options_.max_unsent_bytes;
    (void)setsockopt(tcp.socket().native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
  });
  arm_deadline(options_.handshake_timeout_ms, "handshake");
  if (secure_)
    handshake_tls();
  else
    handshake_websocket();
}

void WebSocketClient::Connection::handshake_tls() {
  secure_->next_layer().async_handshake(net::ssl::stream_base::client,
                                        bind([](Connection& c, const Error& error) {
                                          if (error) return c.fail("TLS", error);
                                          c.handshake_websocket();
                                        }));
}

void WebSocketClient::Connection::handshake_websocket() {
  with_stream([this](auto& stream) {
    stream.set_option(timeouts(std::chrono::milliseconds(options_.handshake_timeout_ms), 0));
    stream.set_option(websocket::stream_base::decorator([this](websocket::request_type& request) {
      request.set(beast::http::field::user_agent, options_.user_agent);
      for (const auto& header : options_.headers) request.set(header.name, header.value);
    }));
    stream.read_message_max(0);  // received() checks the size, so that we choose the close code
    stream.auto_fragment(false);
    stream.async_handshake(response_, url_.host_header(), url_.target,
                           bind([](Connection& c, const Error& error) {
                             if (!error) return c.opened();
                             if (error != websocket::error::upgrade_declined) return c.fail("upgrade", error);
                             WebSocketClose close;
                             close.http_status = static_cast<int>(c.response_.result_int());
                             close.error = "upgrade refused with HTTP " + std::to_string(close.http_status);
                             c.set_closed(std::move(close));
                           }));
  });
}

void WebSocketClient::Connection::opened() {
  deadline_.cancel();
  with_stream([this](auto& s) { s.set_option(timeouts(kCloseTimeout, options_.idle_timeout_ms)); });
  state_ = State::open;
  open_.store(true);
  gate_.run([this] {
    if (callbacks_.on_open) callbacks_.on_open();
  });
  read();
}

void WebSocketClient::Connection::read() {
  with_stream([this](auto& stream) {
    stream.async_read_some(buffer_, kReadAtOnce, bind([](Connection& c, const Error& error, size_t) {
                             if (error) return c.read_failed(error);
                             c.received();
                             c.read();
                           }));
  });
}

void WebSocketClient::Connection::received() {
  bool whole = false, binary = false;
  with_stream([&](auto& stream) {
    whole = stream.is_message_done();
    binary = stream.got_binary();
  });
  if (buffer_.size() > options_.max_message_bytes) {
    buffer_.consume(buffer_.size());
    return close(1009, "message too big",
                 "a message is over " + std::to_string(options_.max_message_bytes) + " bytes");
  }
  if (!whole) return;
  auto data = buffer_.cdata();
  gate_.run([&] {
    if (callbacks_.on_message && state_ == State::open)
      callbacks_.on_message({static_cast<const char*>(data.data()), data.size()}, binary);
  });
  buffer_.consume(buffer_.size());
  if (buffer_.capacity() > kKeptBuffer) buffer_.shrink_to_fit();
}

void WebSocketClient::Connection::read_failed(const Error& error) {
  if (state_ == State::closing) return;  // the handler of async_close() takes over
  WebSocketClose close;
  if (error == websocket::error::closed) {
    with_stream([&](auto& stream) {
      close.code = stream.reason().code;
      close.reason = printable({stream.reason().reason.data(), stream.reason().reason.size()});
    });
    if (close.code == 0) close.code = 1005;
  } else {
    close.error = "read: " + error.message();
  }
  set_closed(std::move(close));
}

Status WebSocketClient::Connection::send(std::string message, bool binary) {
  if (!open_.load()) return {Code::unavailable, "the WebSocket is not open"};
  size_t size = message.size();
  if (queued_bytes_.fetch_add(size) + size > options_.max_queue_bytes) {
    queued_bytes_.fetch_sub(size);
    return {Code::exhausted, "the WebSocket's send queue is full"};
  }
  Message item{std::move(message), binary};
  if (io_.on_thread())
    enqueue(std::move(item));
  else
    io_.post(
        [self = shared_from_this(), item = std::move(item)]() mutable { self->enqueue(std::move(item)); });
  return {};
}

void WebSocketClient::Connection::enqueue(Message message) {
  if (state_ != State::open) return;
  queue_.push_back(std::move(message));
  if (!writing_) write_next();
}

void WebSocketClient::Connection::write_next() {
  writing_ = true;
  with_stream([this](auto& stream) {
    const Message& message = queue_.front();
    stream.binary(message.binary);
    stream.async_write(net::buffer(message.data), bind([](Connection& c, const Error& error, size_t) {
                         c.writing_ = false;
                         c.queued_bytes_.fetch_sub(c.queue_.front().data.size());
                         c.queue_.pop_front();
                         if (c.state_ != State::open) return;
                         if (error) return c.read_failed(error);
                         if (!c.queue_.empty()) c.write_next();
                         c.gate_.run([&c] {
                           if (c.callbacks_.on_sent) c.callbacks_.on_sent();
                         });
                       }));
  });
}

void WebSocketClient::Connection::close(uint16_t code, std::string reason, std::string error) {
  if (state_ == State::closing || state_ == State::closed) return;
  our_code_ = code;
  if (state_ == State::connecting) return fail("closed before it was open");
  state_ = State::closing;
  open_.store(false);
  while (queue_.size() > (writing_ ? 1u : 0u)) queue_.pop_back();
  with_stream([&](auto& stream) {
    websocket::close_reason why(code);
    std::string_view clipped = clip_utf8(reason, 123);
    why.reason.assign(clipped.data(), clipped.size());
    stream.async_close(why, bind([text = std::move(error)](Connection& c, const Error&) {
                         WebSocketClose done;
                         done.code = c.our_code_;
                         done.error = text;
                         c.set_closed(std::move(done));
                       }));
  });
}

void WebSocketClient::Connection::arm_deadline(int timeout_ms, const char* what) {
  deadline_.expires_after(std::chrono::milliseconds(timeout_ms));
  deadline_.async_wait(bind([what, timeout_ms](Connection& c, const Error& error) {
    if (!error && c.state_ == State::connecting)
      c.fail(std::string(what) + ": no answer within " + std::to_string(timeout_ms) + " ms");
  }));
}

void WebSocketClient::Connection::fail(const std::string& what, const Error& error) {
  fail(what + ": " + error.message());
}

void WebSocketClient::Connection::fail(std::string text) {
  WebSocketClose close;
  close.error = std::move(text);
  set_closed(std::move(close));
}

void WebSocketClient::Connection::set_closed(WebSocketClose close) {
  if (state_ == State::closed) return;
  close.opened = state_ != State::connecting;
  close.by_us = our_code_ != 0;
  state_ = State::closed;
  open_.store(false);
  deadline_.cancel();
  resolver_.cancel();
  with_stream([](auto& stream) {
    Error ignored;
    beast::get_lowest_layer(stream).socket().close(ignored);
  });
  gate_.run([&] {
    if (callbacks_.on_close) callbacks_.on_close(close);
  });
}

}  // namespace patchbay::lib
