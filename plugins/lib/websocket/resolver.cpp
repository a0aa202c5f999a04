#include "websocket/resolver.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>

#include "library/keep_code_loaded.h"

namespace patchbay::lib {
namespace {

Result<std::vector<Endpoint>> ask_system(const std::string& host, uint16_t port) {
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

struct Resolver::State {
  struct Request {
    std::string host;
    uint16_t port = 0;
    Done done;
    std::weak_ptr<const void> ticket;
  };
  void run();
  void answer_next(std::unique_lock<std::mutex>& lock);
  Endpoints try_look_up(const std::string& host, uint16_t port) const;

  LookUp look_up;
  std::mutex mutex;  // guards the next three
  std::deque<Request> requests;
  bool looking_up = false;
  bool stopping = false;
  std::condition_variable wake;
};

Resolver::Resolver() : state_(std::make_shared<State>()) { state_->look_up = &ask_system; }

void Resolver::set_look_up(LookUp look_up) { state_->look_up = std::move(look_up); }

Resolver::Ticket Resolver::resolve(std::string host, uint16_t port, Done done) {
  Ticket ticket = std::make_shared<char>();
  const std::lock_guard lock(state_->mutex);
  if (state_->stopping) return ticket;
  state_->requests.push_back({std::move(host), port, std::move(done), ticket});
  if (!thread_.joinable()) thread_ = std::thread([state = state_] { state->run(); });
  state_->wake.notify_one();
  return ticket;
}

void Resolver::stop() {
  std::deque<State::Request> dropped;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    dropped.swap(state_->requests);
    if (state_->looking_up && thread_.joinable()) {
      keep_code_loaded();
      thread_.detach();
    }
  }
  state_->wake.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Resolver::State::run() {
  ::pthread_setname_np(::pthread_self(), "resolver");
  std::unique_lock lock(mutex);
  while (true) {
    wake.wait(lock, [this] { return stopping || !requests.empty(); });
    if (stopping) return;
    try {
      answer_next(lock);
    } catch (...) {
      // Out of memory: the connection ends with its time-out.
    }
    if (!lock.owns_lock()) lock.lock();
  }
}

// Answers the first request, and all others for the same host and port that have come until then.
void Resolver::State::answer_next(std::unique_lock<std::mutex>& lock) {
  std::erase_if(requests, [](const Request& request) { return request.ticket.expired(); });
  if (requests.empty()) return;
  const std::string host = requests.front().host;
  const uint16_t port = requests.front().port;
  looking_up = true;
  lock.unlock();
  const Endpoints found = try_look_up(host, port);
  lock.lock();
  looking_up = false;
  if (stopping) return;
  std::vector<Request> answered;
  std::erase_if(requests, [&](Request& request) {
    if (request.host != host || request.port != port) return false;
    answered.push_back(std::move(request));
    return true;
  });
  lock.unlock();
  for (const Request& request : answered)
    if (const auto ticket = request.ticket.lock()) request.done(found);
}

// Also answers when memory is exhausted, because the requests would otherwise be looked up again and again.
Resolver::Endpoints Resolver::State::try_look_up(const std::string& host, uint16_t port) const {
  try {
    return look_up(host, port);
  } catch (...) {
    return Error{Code::exhausted, "out of memory"};
  }
}

}  // namespace patchbay::lib
