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

Resolver::Resolver() : look_up_(&look_up) {}

Resolver::Ticket Resolver::resolve(std::string host, uint16_t port, Done done) {
  Ticket ticket = std::make_shared<char>();
  const std::lock_guard lock(mutex_);
  if (stopping_) return ticket;
  requests_.push_back({std::move(host), port, std::move(done), ticket});
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  wake_.notify_one();
  return ticket;
}

void Resolver::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  requests_.clear();
}

void Resolver::run() {
  ::pthread_setname_np(::pthread_self(), "resolver");
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !requests_.empty(); });
    if (stopping_) return;
    try {
      answer_next(lock);
    } catch (...) {
      // Out of memory: the connection ends with its time-out.
    }
    if (!lock.owns_lock()) lock.lock();
  }
}

// Answers the first request, and all others for the same host and port that have come until then.
void Resolver::answer_next(std::unique_lock<std::mutex>& lock) {
  std::erase_if(requests_, [](const Request& request) { return request.ticket.expired(); });
  if (requests_.empty()) return;
  const Request first = std::move(requests_.front());
  requests_.pop_front();
  lock.unlock();
  const Endpoints found = look_up_(first.host, first.port);
  lock.lock();
  if (stopping_) return;
  std::vector<Request> others;
  std::erase_if(requests_, [&](Request& request) {
    if (request.host != first.host || request.port != first.port) return false;
    others.push_back(std::move(request));
    return true;
  });
  lock.unlock();
  if (const auto ticket = first.ticket.lock()) first.done(found);
  for (const Request& request : others)
    if (const auto ticket = request.ticket.lock()) request.done(found);
}

}  // namespace patchbay::lib
