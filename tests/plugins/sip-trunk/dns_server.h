// A DNS server at 127.0.0.1:53 that answers every name with one address, or with SERVFAIL.
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace patchbay::test {

class DnsServer {
 public:
  DnsServer() : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(53);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~DnsServer() {
    stop_ = true;
    thread_.join();
    ::close(fd_);
  }
  DnsServer(const DnsServer&) = delete;
  DnsServer& operator=(const DnsServer&) = delete;

  void answer_with(const char* ip) { address_ = ::inet_addr(ip); }
  void fail() { address_ = INADDR_NONE; }
  int queries() const { return queries_; }

 private:
  void serve() {
    pollfd ready{fd_, POLLIN, 0};
    while (!stop_) {
      if (::poll(&ready, 1, 20) != 1) continue;
      char buffer[512];
      sockaddr_in from{};
      socklen_t size = sizeof(from);
      const ssize_t length =
          ::recvfrom(fd_, buffer, sizeof(buffer), 0, reinterpret_cast<sockaddr*>(&from), &size);
      if (length < 12) continue;
      const std::string reply = reply_to(std::string(buffer, static_cast<size_t>(length)));
      (void)::sendto(fd_, reply.data(), reply.size(), 0, reinterpret_cast<const sockaddr*>(&from), size);
      ++queries_;
    }
  }

  // Builds header, question and at most one A record (RFC 1035 section 4).
  std::string reply_to(const std::string& query) const {
    const uint32_t address = address_;
    size_t end = 12;
    while (end < query.size() && query[end] != '\0') end += static_cast<uint8_t>(query[end]) + size_t{1};
    const std::string question = query.substr(12, end + 5 - 12);
    const bool asks_a = question.size() > 4 && question[question.size() - 3] == 1;
    const bool fails = address == INADDR_NONE;
    const bool has_answer = asks_a && !fails;
    std::string reply = query.substr(0, 2);
    reply +=
        {'\x81', static_cast<char>(fails ? 0x82 : 0x80), 0, 1, 0, static_cast<char>(has_answer), 0, 0, 0, 0};
    reply += question;
    if (has_answer) {
      reply += {'\xC0', 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4};
      reply.append(reinterpret_cast<const char*>(&address), 4);
    }
    return reply;
  }

  const int fd_;
  std::atomic<uint32_t> address_{INADDR_NONE};  // network order
  std::atomic<int> queries_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace patchbay::test
