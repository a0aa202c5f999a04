#include "websocket/connection.h"

#include <netinet/tcp.h>
#include <openssl/sha.h>
#include <patchbay/base64.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "websocket/limits.h"
#include "websocket/upgrade.h"

namespace patchbay::lib {
namespace {

std::string describe(int error) { return std::generic_category().message(error); }

// Connections share their TLS sessions only if the server gets the same from them, because a key in a header
// or in the URL may be a tenant's.
std::string tls_session_group(const WebSocketUrl& url, const WebSocketOptions& options) {
  std::string text = url.port + "\n" + url.target;
  for (const auto& header : options.headers) text += "\n" + header.name + ":" + header.value;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  ::SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return std::string(digest.begin(), digest.end());
}

void set_option(int fd, int level, int name, int value) {
  (void)::setsockopt(fd, level, name, &value, sizeof value);
}

}  // namespace

WebSocketClient::Connection::Connection(IoThread& io, WebSocketUrl url, WebSocketOptions options,
                                        WebSocketCallbacks callbacks)
    : io_(io),
      url_(std::move(url)),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      deadline_(std::make_shared<LoopTimer>()),
      idle_timer_(std::make_shared<LoopTimer>()),
      attempt_timer_(std::make_shared<LoopTimer>()),
      reader_(options_.max_message_bytes) {}

void WebSocketClient::Connection::start() {
  if (state_ == State::closed) return;
  if (url_.tls) {
    const auto context = io_.impl().tls->get(options_.ca_file);
    if (!context) return fail(context.error().text);
    tls_ = *context;
  }
  connect_until_ms_ = steady_ms() + options_.connect_timeout_ms;
  set_deadline(options_.connect_timeout_ms, "connect");
  const auto port = static_cast<uint16_t>(std::stoul(url_.port));
  if (const auto endpoint = parse_endpoint(url_.host, port)) return connect({*endpoint});
  // Weak, because a look-up may take longer than the connection.
  look_up_ = io_.impl().resolver.resolve(
      url_.host, port, [weak = weak_from_this(), &io = io_](const Resolver::Endpoints& found) {
        io.post([weak, found] {
          if (const auto self = weak.lock()) self->on_resolved(found);
        });
      });
}

void WebSocketClient::Connection::on_resolved(const Resolver::Endpoints& found) {
  if (state_ != State::resolving) return;
  if (!found) return fail("resolve " + url_.host + ": " + found.error().text);
  connect(*found);
}

void WebSocketClient::Connection::connect(std::vector<Endpoint> endpoints) {
  state_ = State::connecting;
  for (const Endpoint& endpoint : endpoints)
    if (!options_.allow_address || options_.allow_address(endpoint.text())) endpoints_.push_back(endpoint);
  if (endpoints_.empty()) return fail("connect: the address of " + url_.host + " is not allowed");
  std::reverse(endpoints_.begin(), endpoints_.end());
  connect_next();
}

void WebSocketClient::Connection::connect_next() {
  release_stream();
  while (!endpoints_.empty()) {
    const Endpoint endpoint = endpoints_.back();
    endpoints_.pop_back();
    if (begin_connect(endpoint)) return limit_attempt();
    last_error_ = describe(errno);
    release_stream();
  }
  fail("connect: " + last_error_);
}

// Leaves a silent address in time to try the others; the last one has the rest of the time.
void WebSocketClient::Connection::limit_attempt() {
  if (endpoints_.empty()) return io_.impl().disarm(*attempt_timer_);
  attempt_timer_->callback = [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->state_ != State::connecting) return;
    self->last_error_ = "no answer";
    self->connect_next();
  };
  const int64_t left_ms = std::max<int64_t>(connect_until_ms_ - steady_ms(), 0);
  io_.impl().arm(attempt_timer_, left_ms / static_cast<int64_t>(endpoints_.size() + 1));
}

bool WebSocketClient::Connection::begin_connect(const Endpoint& endpoint) {
  const int fd = ::socket(endpoint.address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  stream_ = std::make_unique<ByteStream>(fd);
  if (::connect(fd, &endpoint.address.any, endpoint.size) != 0 && errno != EINPROGRESS) return false;
  if (!io_.impl().watch(fd, shared_from_this(), EPOLLOUT)) return false;
  watched_events_ = EPOLLOUT;
  return true;
}

void WebSocketClient::Connection::on_ready(uint32_t events) {
  if (stream_) stream_->begin_turn();
  switch (state_) {
    case State::connecting:
      return on_connected();
    case State::tls:
      return handshake_tls();
    case State::upgrade:
      if ((events & EPOLLOUT) != 0) (void)write_queued();
      if (write_failed_ || read_wants_write_ || (events & ~uint32_t{EPOLLOUT}) != 0) read_upgrade();
      return end_if_unwritable();
    case State::open:
    case State::closing:
      return on_open_ready(events);
    case State::resolving:
    case State::closed:
      return;
  }
}

void WebSocketClient::Connection::on_open_ready(uint32_t events) {
  // TLS may wait for the other direction than its caller does: a read for writing, a write for reading.
  if ((events & EPOLLOUT) != 0) (void)write_queued();
  // Also after an error, so that what arrived before it is read: a close frame says more.
  if (stream_ && !read_posted_ && (read_wants_write_ || write_failed_ || (events & ~uint32_t{EPOLLOUT}) != 0))
    read();
  if (stream_ && offered_ > 0 && (watched_events_ & EPOLLOUT) == 0) (void)write_queued();
  end_if_unwritable();
}

void WebSocketClient::Connection::on_connected() {
  const int fd = stream_->fd();
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) {
    last_error_ = describe(error);
    return connect_next();
  }
  io_.impl().disarm(*attempt_timer_);
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  // Otherwise the kernel buffers megabytes for a slow peer, and buffered data cannot be dropped.
  set_option(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, options_.max_unsent_bytes);
  set_deadline(options_.handshake_timeout_ms, "handshake");
  if (!url_.tls) return request_upgrade();
  state_ = State::tls;
  if (!stream_->start_tls(tls_, url_.host, options_.verify_peer, tls_session_group(url_, options_)))
    return fail("TLS: " + stream_->error());
  handshake_tls();
}

void WebSocketClient::Connection::handshake_tls() {
  switch (stream_->handshake()) {
    case ByteStream::State::done:
      return request_upgrade();
    case ByteStream::State::wants_read:
      return want(true, false);
    case ByteStream::State::wants_write:
      return want(false, true);
    case ByteStream::State::ended:
      return fail("TLS: the peer closed the connection");
    case ByteStream::State::failed:
      return fail("TLS: " + stream_->error());
  }
}

void WebSocketClient::Connection::request_upgrade() {
  state_ = State::upgrade;
  std::array<uint32_t, 4> random;
  for (uint32_t& word : random) word = io_.impl().mask_key();
  append_base64(upgrade_key_, random.data(), sizeof random);
  out_ = write_upgrade_request(url_, options_, upgrade_key_);
  want(true, false);
  if (!write_queued()) return fail("upgrade: " + stream_->error());
  read_upgrade();
}

void WebSocketClient::Connection::read_upgrade() {
  std::array<char, 4096> bytes;
  do {
    const ByteStream::Moved moved = receive(bytes.data(), bytes.size());
    if (moved.state == ByteStream::State::ended) return fail("upgrade: the peer closed the connection");
    if (moved.state == ByteStream::State::failed) return fail("upgrade: " + stream_->error());
    if (moved.state != ByteStream::State::done) return;
    received_head_.append(bytes.data(), moved.bytes);
    const auto read = read_upgrade_response(received_head_, upgrade_key_);
    if (!read) return fail("upgrade: " + read.error().text);
    if (!*read) continue;
    const UpgradeResponse& response = **read;
    if (response.status == 101 && response.error.empty()) {
      const std::string head = std::move(received_head_);
      return on_opened(std::string_view(head).substr(response.bytes));
    }
    WebSocketClose close;
    if (response.status != 101) close.http_status = response.status;
    close.error = response.status == 101 ? "upgrade: " + response.error
                                         : "upgrade refused with HTTP " + std::to_string(response.status);
    return set_closed(std::move(close));
  } while (stream_->has_pending());
}

// `received`: frames behind the response.
void WebSocketClient::Connection::on_opened(std::string_view received) {
  io_.impl().disarm(*deadline_);
  state_ = State::open;
  received_ms_ = steady_ms();
  arm_idle_timer();
  open_.store(true);
  gate_.run([this] {
    if (callbacks_.on_open) callbacks_.on_open();
  });
  if (!received.empty()) {
    std::memcpy(reader_.prepare(received.size()), received.data(), received.size());
    reader_.commit(received.size());
    if (!handle_received()) return;
  }
  if (stream_ && stream_->has_pending()) read();
}

void WebSocketClient::Connection::set_deadline(int timeout_ms, std::string what) {
  // Weak, because a timer of a connection that has ended would hold it.
  deadline_->callback = [weak = weak_from_this(), what = std::move(what), timeout_ms] {
    const auto self = weak.lock();
    if (!self) return;
    if (self->state_ == State::closing) return self->connection_lost({});
    if (self->is_connecting()) self->fail(what + ": no answer within " + std::to_string(timeout_ms) + " ms");
  };
  io_.impl().arm(deadline_, timeout_ms);
}

void WebSocketClient::Connection::arm_idle_timer() {
  if (options_.idle_timeout_ms <= 0) return;
  const int64_t left_ms = received_ms_ + options_.idle_timeout_ms - steady_ms();
  if (left_ms <= 0)
    return connection_lost("nothing was received within " + std::to_string(options_.idle_timeout_ms) + " ms");
  idle_timer_->callback = [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self && self->state_ == State::open) self->arm_idle_timer();
  };
  io_.impl().arm(idle_timer_, left_ms);
}

void WebSocketClient::Connection::want(bool read, bool write) {
  const uint32_t events = (read ? uint32_t{EPOLLIN} : 0U) | (write ? uint32_t{EPOLLOUT} : 0U);
  if (!stream_ || std::exchange(watched_events_, events) == events) return;
  io_.impl().set_events(stream_->fd(), *this, events);
}

// Reads from the stream. While TLS must write before it can read on, the socket is watched for writing only,
// because what has arrived would wake the thread without end.
ByteStream::Moved WebSocketClient::Connection::receive(char* to, size_t size) {
  const ByteStream::Moved moved = stream_->read(to, size);
  const bool wants_write = moved.state == ByteStream::State::wants_write;
  if (std::exchange(read_wants_write_, wants_write) || wants_write) want(!wants_write, true);
  return moved;
}

void WebSocketClient::Connection::release_stream() {
  if (!stream_) return;
  const auto self = shared_from_this();  // the thread may hold the last reference
  if (watched_events_ != 0) io_.impl().unwatch(stream_->fd(), *this);
  watched_events_ = 0;
  stream_.reset();
}

void WebSocketClient::Connection::fail(std::string text) {
  WebSocketClose close;
  close.error = std::move(text);
  set_closed(std::move(close));
}

void WebSocketClient::Connection::set_closed(WebSocketClose close) {
  if (state_ == State::closed) return;
  const auto self = shared_from_this();
  close.opened = !is_connecting();
  close.by_us = our_code_ != 0;
  state_ = State::closed;
  look_up_.reset();
  open_.store(false);
  io_.impl().disarm(*deadline_);
  io_.impl().disarm(*idle_timer_);
  io_.impl().disarm(*attempt_timer_);
  if (stream_ && close.opened) stream_->shut_down();
  release_stream();
  gate_.run([&] {
    if (callbacks_.on_close) callbacks_.on_close(close);
  });
}

}  // namespace patchbay::lib
