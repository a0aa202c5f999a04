#include "bench/rest/http_load.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "bench/pairs.h"

namespace patchbay::bench {
namespace {

class HttpConnection {
 public:
  explicit HttpConnection(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{10, 0};
    const int on = 1;
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) close();
  }
  HttpConnection(HttpConnection&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  HttpConnection& operator=(HttpConnection&&) = delete;
  ~HttpConnection() { close(); }

  bool send(std::string_view request) {
    sent_at_ = seconds_now();
    return ::send(fd_, request.data(), request.size(), MSG_NOSIGNAL) == ssize_t(request.size());
  }
  // Reads one answer; false: none came, or without Content-Length.
  bool read() {
    answer_.clear();
    size_t body = std::string::npos, length = 0;
    while (body == std::string::npos || answer_.size() < body + length) {
      char bytes[64 * 1024];
      const ssize_t count = ::recv(fd_, bytes, sizeof bytes, 0);
      if (count <= 0) return false;
      answer_.append(bytes, size_t(count));
      if (body != std::string::npos) continue;
      const size_t end = answer_.find("\r\n\r\n");
      if (end == std::string::npos) continue;
      const size_t at = answer_.find("Content-Length: ");
      if (at > end) return false;
      length = std::strtoul(answer_.c_str() + at + 16, nullptr, 10);
      body = end + 4;
    }
    body_ = body;
    latency_us_ = (seconds_now() - sent_at_) * 1e6;
    return true;
  }
  std::string_view status() const { return std::string_view(answer_).substr(9, 3); }
  std::string_view body() const { return std::string_view(answer_).substr(body_); }
  double latency_us() const { return latency_us_; }

 private:
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int fd_;
  std::string answer_;
  size_t body_ = 0;
  double sent_at_ = 0;
  double latency_us_ = 0;
};

struct Used {
  double cpu_ns = 0;
  double switches = 0;
};

// What all threads of the process have used so far.
Used used_by(pid_t pid) {
  Used used;
  std::error_code gone;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, gone)) {
    double cpu_ns = 0;
    std::ifstream(task.path() / "schedstat") >> cpu_ns;
    used.cpu_ns += cpu_ns;
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.rfind("voluntary_ctxt_switches:", 0) == 0) used.switches += std::stod(line.substr(24));
  }
  return used;
}

Error bad_answer(const HttpConnection& connection) {
  return {Code::failed, "the server answered " + std::string(connection.status()) + " " +
                            std::string(connection.body().substr(0, 200))};
}

}  // namespace

Result<HttpCost> run_load(const HttpLoad& load) {
  std::vector<HttpConnection> connections;
  for (int i = 0; i < load.connections; ++i) connections.emplace_back(load.port);
  HttpCost cost;
  const Error lost{Code::unavailable, "the server did not answer"};
  const auto take = [&](HttpConnection& connection) -> Status {
    if (!connection.read()) return lost;
    if (connection.status() != "200" || connection.body().size() < load.min_body_octets)
      return bad_answer(connection);
    cost.latencies_us.push_back(connection.latency_us());
    return {};
  };
  size_t sent = 0;
  const auto next_request = [&]() -> std::string_view {
    return load.requests[sent++ % load.requests.size()];
  };
  const Used before = used_by(load.server);
  const double begin = seconds_now(), end = begin + load.seconds;
  if (load.rate > 0) {
    for (double due = begin; due < end; due += 1 / load.rate) {
      std::this_thread::sleep_for(std::chrono::duration<double>(due - seconds_now()));
      if (!connections.front().send(next_request())) return lost;
      PB_TRY(take(connections.front()));
    }
  } else {
    for (HttpConnection& connection : connections)
      if (!connection.send(next_request())) return lost;
    bool more = true;
    while (more) {
      more = seconds_now() < end;
      for (HttpConnection& connection : connections) {
        PB_TRY(take(connection));
        if (more && !connection.send(next_request())) return lost;
      }
    }
  }
  const Used after = used_by(load.server);
  const auto count = double(cost.latencies_us.size());
  cost.cpu_us = (after.cpu_ns - before.cpu_ns) / 1000 / count;
  cost.switches = (after.switches - before.switches) / count;
  return cost;
}

Result<std::string> ask_once(uint16_t port, const std::string& request) {
  HttpConnection connection(port);
  if (!connection.send(request) || !connection.read())
    return {Code::unavailable, "the server did not answer"};
  if (connection.status().substr(0, 1) != "2") return bad_answer(connection);
  return std::string(connection.body());
}

}  // namespace patchbay::bench
