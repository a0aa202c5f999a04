#include "websocket/resolver.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>

#include <cstring>
#include <memory>
#include <utility>

namespace patchbay::lib {
namespace {

Result<std::vector<Endpoint>> look_up(const std::string& host, uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error != 0) return {Code::unavailable, ::gai_strerror(error)};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  std::vector<Endpoint> found;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    Endpoint endpoint;
    if (entry->ai_addrlen > sizeof endpoint.address) continue;
    std::memcpy(&endpoint.address, entry->ai_addr, entry->ai_addrlen);
    endpoint.size = entry->ai_addrlen;
    found.push_back(endpoint);
  }
  return found;
}

}  // namespace

std::string Endpoint::text() const {
  char out[INET6_ADDRSTRLEN] = "";
  const bool is_v6 = address.any.sa_family == AF_INET6;
  const void* const bytes = is_v6 ? static_cast<const void*>(&address.v6.sin6_addr)
                                  : static_cast<const void*>(&address.v4.sin_addr);
  ::inet_ntop(address.any.sa_family, bytes, out, sizeof out);
  return out;
}

std::optional<Endpoint> parse_endpoint(const std::string& address, uint16_t port) {
  Endpoint out;
  if (::inet_pton(AF_INET, address.c_str(), &out.address.v4.sin_addr) == 1) {
    out.address.v4.sin_family = AF_INET;
    out.address.v4.sin_port = htons(port);
    out.size = sizeof out.address.v4;
    return out;
  }
  if (::inet_pton(AF_INET6, address.c_str(), &out.address.v6.sin6_addr) == 1) {
    out.address.v6.sin6_family = AF_INET6;
    out.address.v6.sin6_port = htons(port);
    out.size = sizeof out.address.v6;
    return out;
  }
  return std::nullopt;
}

void Resolver::resolve(std::string host, uint16_t port, Done done) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  jobs_.push_back({std::move(host), port, std::move(done)});
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  wake_.notify_one();
}

void Resolver::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  jobs_.clear();
}

void Resolver::run() {
  ::pthread_setname_np(::pthread_self(), "resolver");
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    try {
      job.done(look_up(job.host, job.port));
    } catch (...) {
      // Out of memory: the connection ends with its time-out.
    }
    lock.lock();
  }
}

}  // namespace patchbay::lib
