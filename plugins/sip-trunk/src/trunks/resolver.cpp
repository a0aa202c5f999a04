#include "trunks/resolver.h"

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "dns/ares_dns.h"
#include "dns/locate.h"
#include "now_ms.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

struct Entry {
  Result<Location> latest = Error{Code::not_found, "not resolved yet"};
  std::optional<Location> last_good;
  int64_t fresh_until_ms = 0;
  bool is_pending = false;  // running, or waiting for a thread
  std::vector<Resolver::Done> waiting;
};

}  // namespace

struct Resolver::State {
  std::mutex mutex;  // guards all members below
  Lookup lookup;
  std::map<HostQuery, Entry> entries;
  size_t threads = 0;
  std::deque<HostQuery> queue;  // names that wait for a thread

  std::optional<HostQuery> complete(const HostQuery& name, Result<Location> result);
  static void run(const std::shared_ptr<State>& state, const Lookup& look_up, HostQuery name);
};

// Stores a result and returns the next name to look up.
std::optional<HostQuery> Resolver::State::complete(const HostQuery& name, Result<Location> result) {
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
  HostQuery next = std::move(queue.front());
  queue.pop_front();
  return next;
}

void Resolver::State::run(const std::shared_ptr<State>& state, const Lookup& look_up, HostQuery name) {
  for (std::optional<HostQuery> next = std::move(name); next;) next = state->complete(*next, look_up(*next));
}

Result<Location> Resolver::dns_lookup(const HostQuery& query) {
  AresDns dns;
  return locate(dns, query);
}

Resolver::Resolver(Lookup lookup) : state_(std::make_shared<State>()) { state_->lookup = std::move(lookup); }

Resolver::~Resolver() {
  const std::lock_guard lock(state_->mutex);
  for (auto& [name, entry] : state_->entries) entry.waiting.clear();
  state_->queue.clear();
}

void Resolver::resolve(const HostQuery& query, Done done) { request(query, false, std::move(done)); }

void Resolver::refresh(const HostQuery& query, Done done) { request(query, true, std::move(done)); }

void Resolver::request(const HostQuery& name, bool must_refresh, Done done) {
  if (auto numeric = numeric_location(name)) return done(*std::move(numeric));
  Result<Location> known = Error{Code::exhausted, "too many names are being resolved"};
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

Result<Location> Resolver::last_known(const HostQuery& query) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->entries.find(query);
  if (found == state_->entries.end() || !found->second.last_good) return {Code::not_found, "never resolved"};
  return *found->second.last_good;
}

}  // namespace patchbay::sip_trunk
