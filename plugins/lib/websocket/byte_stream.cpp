#include "websocket/byte_stream.h"

#include <linux/sockios.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>

#include "websocket/limits.h"
#include "websocket/resolver.h"

namespace patchbay::lib {
namespace {

bool may_retry() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

long bio_ctrl(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_EOF) return ::BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

int clamp_int(size_t size) {
  return static_cast<int>(std::min<size_t>(size, std::numeric_limits<int>::max()));
}

// Otherwise an older error would be taken for that of the next call.
void clear_errors() {
  if (::ERR_peek_error() != 0) ::ERR_clear_error();  // which costs much more
  errno = 0;
}

std::string describe_errno(int error) { return std::generic_category().message(error); }

}  // namespace

// OpenSSL's own socket BIO would raise SIGPIPE.
int ByteStream::transmit(BIO* bio, const char* from, int size) {
  ::BIO_clear_retry_flags(bio);
  const int fd = static_cast<const Socket*>(::BIO_get_data(bio))->fd;
  const ssize_t sent = ::send(fd, from, static_cast<size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && may_retry()) ::BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int ByteStream::receive(BIO* bio, char* to, int size) {
  ::BIO_clear_retry_flags(bio);
  Socket& socket = *static_cast<Socket*>(::BIO_get_data(bio));
  if (socket.turn_bytes == 0) return ::BIO_set_retry_read(bio), -1;
  const ssize_t got = ::recv(socket.fd, to, static_cast<size_t>(size), MSG_DONTWAIT);
  if (got < 0 && may_retry()) ::BIO_set_retry_read(bio);
  if (got == 0) ::BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  if (got > 0) socket.turn_bytes -= std::min(socket.turn_bytes, static_cast<size_t>(got));
  return static_cast<int>(got);
}

BIO* ByteStream::make_bio(Socket& socket) {
  using Method = std::unique_ptr<BIO_METHOD, decltype(&::BIO_meth_free)>;
  static const Method method = [] {
    Method made(::BIO_meth_new(BIO_TYPE_SOURCE_SINK, "patchbay socket"), &::BIO_meth_free);
    if (!made) return made;
    ::BIO_meth_set_write(made.get(), &transmit);
    ::BIO_meth_set_read(made.get(), &receive);
    ::BIO_meth_set_ctrl(made.get(), &bio_ctrl);
    return made;
  }();
  BIO* const bio = method ? ::BIO_new(method.get()) : nullptr;
  if (bio == nullptr) return nullptr;
  ::BIO_set_data(bio, &socket);
  ::BIO_set_init(bio, 1);
  return bio;
}

ByteStream::~ByteStream() {
  // Whether the server failed, closed the connection or sent nothing: the next connection is to try without.
  if (session_use_.sessions && !::SSL_is_init_finished(tls_.get()))
    session_use_.sessions->drop(session_use_.key);
  ::close(socket_.fd);
}

void ByteStream::begin_turn() { socket_.turn_bytes = kReadAtOnceBytes; }

bool ByteStream::start_tls(const TlsContext& context, const std::string& host, bool verify,
                           const std::string& session_group) {
  context_ = context;
  tls_ = {::SSL_new(context.settings.get()), &::SSL_free};
  BIO* const bio = tls_ ? make_bio(socket_) : nullptr;
  if (bio == nullptr) return error_ = take_tls_error(), false;
  ::SSL_set_bio(tls_.get(), bio, bio);
  ::SSL_set_connect_state(tls_.get());
  const bool is_address = parse_endpoint(host, 0).has_value();
  // SNI allows no addresses (RFC 6066 section 3).
  if (!is_address) SSL_set_tlsext_host_name(tls_.get(), host.c_str());
  ::SSL_set_verify(tls_.get(), verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  if (!session_group.empty()) {
    session_use_ = {context.sessions, (verify ? "verified " : "any ") + host + " " + session_group};
    TlsSessions::attach(*tls_, session_use_);
  }
  if (!verify) return true;
  X509_VERIFY_PARAM* const expected = ::SSL_get0_param(tls_.get());
  ::X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const int set = is_address ? ::X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str())
                             : ::X509_VERIFY_PARAM_set1_host(expected, host.c_str(), host.size());
  if (set != 1) return error_ = "the host name cannot be verified", false;
  return true;
}

ByteStream::State ByteStream::describe(int result) {
  const int saved = errno;  // SSL_get_error() may change it
  switch (::SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return State::wants_read;
    case SSL_ERROR_WANT_WRITE:
      return State::wants_write;
    case SSL_ERROR_ZERO_RETURN:
      return State::ended;
    case SSL_ERROR_SYSCALL:
      error_ = saved != 0 && result < 0 ? describe_errno(saved) : "the peer closed the connection";
      return State::failed;
    default:
      break;
  }
  error_ = take_tls_error();
  const long verified = ::SSL_get_verify_result(tls_.get());
  if (verified != X509_V_OK && !::SSL_is_init_finished(tls_.get()))
    error_ += std::string(" (") + ::X509_verify_cert_error_string(verified) + ")";
  return State::failed;
}

ByteStream::State ByteStream::handshake() {
  clear_errors();
  const int result = ::SSL_do_handshake(tls_.get());
  return result == 1 ? State::done : describe(result);
}

ByteStream::Moved ByteStream::socket_result(long result) {
  if (result >= 0) return {State::done, static_cast<size_t>(result)};
  error_ = describe_errno(errno);
  return {State::failed};
}

ByteStream::Moved ByteStream::read(char* to, size_t size) {
  if (!tls_) {
    const ssize_t got = ::recv(socket_.fd, to, size, MSG_DONTWAIT);
    if (got == 0) return {State::ended};
    if (got < 0 && may_retry()) return {State::wants_read};
    return socket_result(got);
  }
  clear_errors();
  const int got = ::SSL_read(tls_.get(), to, clamp_int(size));
  if (got > 0) return {State::done, static_cast<size_t>(got)};
  return {describe(got)};
}

ByteStream::Moved ByteStream::write(const char* from, size_t size) {
  if (!tls_) {
    const ssize_t sent = ::send(socket_.fd, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && may_retry()) return {State::wants_write};
    return socket_result(sent);
  }
  clear_errors();
  const int sent = ::SSL_write(tls_.get(), from, clamp_int(size));
  if (sent > 0) return {State::done, static_cast<size_t>(sent)};
  return {describe(sent)};
}

bool ByteStream::has_pending() const { return tls_ && ::SSL_has_pending(tls_.get()) == 1; }

size_t ByteStream::unsent_bytes() const {
  int bytes = 0;
  return ::ioctl(socket_.fd, SIOCOUTQNSD, &bytes) == 0 && bytes > 0 ? static_cast<size_t>(bytes) : 0;
}

void ByteStream::shut_down() {
  if (tls_ && ::SSL_is_init_finished(tls_.get())) ::SSL_shutdown(tls_.get());
  ::ERR_clear_error();
  ::shutdown(socket_.fd, SHUT_WR);
}

}  // namespace patchbay::lib
