#include "support/webhook_receiver_connection.h"

#include <sys/socket.h>
#include <unistd.h>

namespace patchbay::test {

WebhookStream::WebhookStream(int fd, SSL_CTX* context) : fd_(fd) {
  if (context == nullptr) return;
  ssl_.reset(SSL_new(context));
  SSL_set_fd(ssl_.get(), fd_);
  ready_ = SSL_accept(ssl_.get()) == 1;
}

WebhookStream::~WebhookStream() {
  ssl_.reset();
  ::close(fd_);
}

std::string WebhookStream::read() {
  char part[16384];
  if (!ready_) return {};
  const ssize_t count = ssl_ ? SSL_read(ssl_.get(), part, sizeof part) : ::recv(fd_, part, sizeof part, 0);
  return count > 0 ? std::string(part, static_cast<size_t>(count)) : std::string();
}

bool WebhookStream::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ssl_ ? SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size()))
                               : ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

void WebhookStream::reset() {
  const linger hard{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
}

}  // namespace patchbay::test
