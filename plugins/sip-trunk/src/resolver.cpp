#include "resolver.h"

#include <netdb.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "now_ms.h"
#include "sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

using Name = std::pair<std::string, int>;  // host and address family

struct Entry {
  Result<Addresses> latest = Error{Code::not_found, "not resolved yet"};
  Addresses last_good;
  int64_t fresh_until_ms = 0;
  bool is_pending = false;  // running, or waiting for a thread
  std::vector<Resolver::Done> waiting;
};

}  // namespace

struct Resolver::State {
  std::mutex mutex;  // guards all members below
  Lookup lookup;
  std::map<Name, Entry> entries;
  size_t threads = 0;
  std::deque<Name> queue;  // names that wait for a thread

  std::optional<Name> complete(const Name& name, Result<Addresses> result);
  static void run(const std::shared_ptr<State>& state, const Lookup& look_up, Name name);
};

// Stores a result and returns the next name to look up.
std::optional<Name> Resolver::State::complete(const Name& name, Result<Addresses> result) {
  std::vector<Done> waiting;
  const std::lock_guard lock(mutex);
  Entry& entry = entries[name];
  entry.is_pending = false;
  if (result) entry.last_good = *result;
  entry.latest = result;
  entry.fresh_until_ms = now_ms() + (result ? kNameFreshMs : kNameFailureFreshMs);
  waiting.swap(entry.waiting);
  // Under the lock, because no callback may run after the resolver's destructor.
  for (const Done& done : waiting) done(result);
  if (queue.empty()) {
    --threads;
    return std::nullopt;
  }
  Name next = std::move(queue.front());
  queue.pop_front();
  return next;
}

void Resolver::State::run(const std::shared_ptr<State>& state, const Lookup& look_up, Name name) {
  for (std::optional<Name> next = std::move(name); next;)
    next = state->complete(*next, look_up(next->first, next->second));
}

Result<Addresses> Resolver::system_lookup(const std::string& host, int family) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (error != 0) return {Code::unavailable, std::string(::gai_strerror(error))};
  Addresses addresses;
  for (const addrinfo* next = found; next != nullptr; next = next->ai_next) {
    sockaddr_storage storage{};
    std::memcpy(&storage, next->ai_addr, std::min<size_t>(next->ai_addrlen, sizeof(storage)));
    const auto address = lib::SocketAddress::from(storage).with_port(0);
    if (address.valid() && std::find(addresses.begin(), addresses.end(), address) == addresses.end() &&
        addresses.size() < kMaxAddressesOfName)
      addresses.push_back(address);
  }
  ::freeaddrinfo(found);
  if (addresses.empty()) return {Code::unavailable, "no address of the family that SIP listens on"};
  return addresses;
}

Resolver::Resolver(Lookup lookup) : state_(std::make_shared<State>()) { state_->lookup = std::move(lookup); }

Resolver::~Resolver() {
  const std::lock_guard lock(state_->mutex);
  for (auto& [name, entry] : state_->entries) entry.waiting.clear();
  state_->queue.clear();
}

void Resolver::resolve(const std::string& host, int family, Done done) {
  request(host, family, false, std::move(done));
}

void Resolver::refresh(const std::string& host, int family, Done done) {
  request(host, family, true, std::move(done));
}

void Resolver::request(const std::string& host, int family, bool must_refresh, Done done) {
  if (const auto numeric = lib::SocketAddress::parse(host, 0)) return done(Addresses{*numeric});
  const Name name(host, family);
  Result<Addresses> known = Error{Code::exhausted, "too many names are being resolved"};
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->entries.size() >= kMaxNames && state_->entries.count(name) == 0)
      std::erase_if(state_->entries, [](const auto& item) { return !item.second.is_pending; });
    Entry& entry = state_->entries[name];
    if (entry.is_pending) {
      entry.waiting.push_back(std::move(done));
      return;
    }
    if (!must_refresh && now_ms() < entry.fresh_until_ms) {
      known = entry.latest;
    } else if (state_->threads == kMaxLookupThreads && state_->queue.size() < kMaxNames) {
      state_->queue.push_back(name);
      entry.waiting.push_back(std::move(done));
      entry.is_pending = true;
      return;
    } else if (state_->threads < kMaxLookupThreads) {
      try {
        std::thread([state = state_, name, look_up = state_->lookup] {
          State::run(state, look_up, name);
        }).detach();
        entry.waiting.push_back(std::move(done));
        entry.is_pending = true;
        ++state_->threads;
        return;
      } catch (const std::system_error&) {
        known = Error{Code::exhausted, "no thread for resolving a name"};
      }
    }
  }
  done(known);
}

Result<Addresses> Resolver::last_known(const std::string& host, int family) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->entries.find(Name(host, family));
  if (found == state_->entries.end() || found->second.last_good.empty())
    return {Code::not_found, "never resolved"};
  return found->second.last_good;
}

}  // namespace patchbay::sip_trunk
