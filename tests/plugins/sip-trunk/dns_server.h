// A DNS server at 127.0.0.1:53 that answers with the records of a name, or every other name with one address,
// or with SERVFAIL.
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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

  // Records of a name. While it has any, other types of it are answered with none.
  void add_address(const std::string& name, const char* ip) {
    const uint32_t address = ::inet_addr(ip);
    add(name, kA, std::string(reinterpret_cast<const char*>(&address), 4));
  }
  void add_srv(const std::string& name, int priority, int weight, int port, const std::string& host) {
    add(name, kSrv, number(priority) + number(weight) + number(port) + labels(host));
  }
  void add_naptr(const std::string& name, int order, int preference, const std::string& service,
                 const std::string& replacement) {
    add(name, kNaptr,
        number(order) + number(preference) + counted("s") + counted(service) + counted("") +
            labels(replacement));
  }

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

  static constexpr int kA = 1, kSrv = 33, kNaptr = 35;

  static std::string number(int value) {
    return {static_cast<char>(value / 256), static_cast<char>(value % 256)};
  }
  static std::string counted(const std::string& text) { return static_cast<char>(text.size()) + text; }
  static std::string labels(const std::string& name) {
    std::string out;
    std::istringstream parts(name);
    for (std::string label; std::getline(parts, label, '.');) out += counted(label);
    return out + '\0';
  }
  void add(const std::string& name, int type, const std::string& data) {
    const std::lock_guard lock(mutex_);
    records_[labels(name)].emplace_back(type, data);
  }

  // Builds header, question and the answers (RFC 1035 section 4).
  std::string reply_to(const std::string& query) {
    const uint32_t address = address_;
    size_t end = 12;
    while (end < query.size() && query[end] != '\0') end += static_cast<uint8_t>(query[end]) + size_t{1};
    const std::string question = query.substr(12, end + 5 - 12);
    {
      const std::lock_guard lock(mutex_);
      const auto known = records_.find(question.substr(0, question.size() - 4));
      if (known != records_.end()) return answer(query, question, known->second);
    }
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

  static std::string answer(const std::string& query, const std::string& question,
                            const std::vector<std::pair<int, std::string>>& records) {
    const int type = static_cast<uint8_t>(question[question.size() - 3]);
    std::string answers;
    int count = 0;
    for (const auto& [kind, data] : records) {
      if (kind != type) continue;
      ++count;
      answers += number(0xC00C) + number(kind) + number(1) + number(0) + number(60) +
                 number(static_cast<int>(data.size())) + data;
    }
    return query.substr(0, 2) + "\x81\x80" + number(1) + number(count) + number(0) + number(0) + question +
           answers;
  }

  const int fd_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::pair<int, std::string>>> records_;  // guarded by mutex_
  std::atomic<uint32_t> address_{INADDR_NONE};                               // network order
  std::atomic<int> queries_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace patchbay::test
