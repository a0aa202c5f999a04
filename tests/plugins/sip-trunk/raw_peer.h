// RawPeer: a UDP socket that sends arbitrary SIP text, for what no well-behaved peer would send.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace patchbay::test {

class RawPeer {
 public:
  explicit RawPeer(const char* ip = "127.0.0.1", uint16_t port = 0)
      : ip_(ip),
        is_v6_(ip_.find(':') != std::string::npos),
        fd_(::socket(family(), SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_storage address = socket_address(ip_, port);
    (void)::bind(fd_, reinterpret_cast<sockaddr*>(&address), address_bytes());
    socklen_t size = sizeof(address);
    (void)::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(is_v6_ ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                         : reinterpret_cast<const sockaddr_in&>(address).sin_port);
  }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;
  ~RawPeer() { ::close(fd_); }

  uint16_t port() const { return port_; }
  std::string address() const { return (is_v6_ ? "[" + ip_ + "]" : ip_) + ":" + std::to_string(port_); }

  // To the loopback address of this family.
  void send(uint16_t port, const std::string& text) const {
    const sockaddr_storage to = socket_address(is_v6_ ? "::1" : "127.0.0.1", port);
    (void)::sendto(fd_, text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&to), address_bytes());
  }

  // Returns the next message that begins with `start` and drops others. Empty after `limit_ms` without one.
  std::string receive(const std::string& start, int limit_ms = 60'000) const {
    pollfd ready{fd_, POLLIN, 0};
    char buffer[65536];
    while (::poll(&ready, 1, limit_ms) == 1) {
      const ssize_t size = ::recv(fd_, buffer, sizeof(buffer), 0);
      if (size < 0) continue;
      std::string text(buffer, static_cast<size_t>(size));
      if (text.rfind(start, 0) == 0) return text;
    }
    return {};
  }

  std::string request(const std::string& method, const std::string& uri, const std::string& from,
                      const std::string& to, const std::string& call_id, int sequence) const {
    return method + " " + uri + " SIP/2.0\r\nVia: SIP/2.0/UDP " + address() + ";branch=z9hG4bK" + method +
           std::to_string(++branch_) + "\r\nFrom: " + from + "\r\nTo: " + to + "\r\nCall-ID: " + call_id +
           "\r\nCSeq: " + std::to_string(sequence) + " " + method +
           "\r\nMax-Forwards: 70\r\nContact: <sip:peer@" + address() + ">\r\nContent-Length: 0\r\n\r\n";
  }

 private:
  int family() const { return is_v6_ ? AF_INET6 : AF_INET; }
  socklen_t address_bytes() const { return is_v6_ ? sizeof(sockaddr_in6) : sizeof(sockaddr_in); }
  sockaddr_storage socket_address(const std::string& ip, uint16_t port) const {
    sockaddr_storage storage{};
    storage.ss_family = static_cast<sa_family_t>(family());
    if (is_v6_) {
      auto& v6 = reinterpret_cast<sockaddr_in6&>(storage);
      v6.sin6_port = htons(port);
      inet_pton(AF_INET6, ip.c_str(), &v6.sin6_addr);
    } else {
      auto& v4 = reinterpret_cast<sockaddr_in&>(storage);
      v4.sin_port = htons(port);
      inet_pton(AF_INET, ip.c_str(), &v4.sin_addr);
    }
    return storage;
  }

  std::string ip_;
  bool is_v6_;
  int fd_;
  uint16_t port_ = 0;
  mutable int branch_ = 0;
};

// Returns the value of a header, up to the end of its line.
inline std::string header(const std::string& message, const std::string& name) {
  const size_t at = message.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const size_t begin = at + name.size() + 4;
  return message.substr(begin, message.find("\r\n", begin) - begin);
}

// Builds an answer to `request`, with Contact `contact` unless that is empty. `more`: further header lines.
inline std::string answer_to(const std::string& request, const std::string& status,
                             const std::string& contact = "", const std::string& more = "",
                             const std::string& body = "", const std::string& tag = "peer") {
  const std::string to = header(request, "To");
  return "SIP/2.0 " + status + "\r\nVia: " + header(request, "Via") + "\r\nFrom: " + header(request, "From") +
         "\r\nTo: " + to + (to.find(";tag=") == std::string::npos ? ";tag=" + tag : "") +
         "\r\nCall-ID: " + header(request, "Call-ID") + "\r\nCSeq: " + header(request, "CSeq") + "\r\n" +
         (contact.empty() ? "" : "Contact: <" + contact + ">\r\n") + more +
         (body.empty() || more.find("Content-Type") != std::string::npos
              ? ""
              : "Content-Type: application/sdp\r\n") +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace patchbay::test
