#include "client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace rest_api_test {

Client::Client(uint16_t port) : Client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port) {}

Client::Client(int socket, uint16_t port) : fd_(socket) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) ::perror("connect");
}

Client::Client(const std::string& unix_path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, unix_path.c_str(), sizeof address.sun_path - 1);
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) ::perror("connect");
}

Client::Client(Client&& other) noexcept
    : patience(other.patience), fd_(std::exchange(other.fd_, -1)), buffer_(std::move(other.buffer_)) {}

Client::~Client() {
  if (fd_ >= 0) ::close(fd_);
}

bool Client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

Client::Fill Client::fill() {
  pollfd wait{fd_, POLLIN, 0};
  if (::poll(&wait, 1, static_cast<int>(patience.count())) != 1) return Fill::late;
  char bytes[16384];
  const auto count = ::recv(fd_, bytes, sizeof bytes, 0);
  if (count <= 0) return Fill::end;
  buffer_.append(bytes, static_cast<size_t>(count));
  return Fill::some;
}

std::optional<Answer> Client::receive(bool head_only) {
  size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
    if (fill() != Fill::some) return {};
  Answer answer;
  if (buffer_.compare(0, 9, "HTTP/1.1 ") != 0) return {};
  answer.status = std::atoi(buffer_.c_str() + 9);
  for (size_t at = buffer_.find("\r\n") + 2; at < end;) {
    const auto line_end = buffer_.find("\r\n", at);
    const auto colon = buffer_.find(':', at);
    auto name = buffer_.substr(at, colon - at);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    answer.headers[name] = buffer_.substr(colon + 2, line_end - colon - 2);
    at = line_end + 2;
  }
  buffer_.erase(0, end + 4);
  const auto length = answer.headers.count("content-length") != 0 && !head_only
                          ? static_cast<size_t>(std::stoul(answer.headers["content-length"]))
                          : 0;
  while (buffer_.size() < length)
    if (fill() != Fill::some) return {};
  answer.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return answer;
}

bool Client::is_closed() {
  for (;;) {
    const auto result = fill();
    if (result != Fill::some) return result == Fill::end;
  }
}

void Client::finish_sending() { ::shutdown(fd_, SHUT_WR); }

void Client::reset() {
  const linger hard{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  ::close(std::exchange(fd_, -1));
}

void Client::set_receive_buffer(int bytes) { ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes); }

}  // namespace rest_api_test
