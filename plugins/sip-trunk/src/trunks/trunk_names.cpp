#include "trunks/trunk_names.h"

#include <algorithm>
#include <utility>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
TrunkNames::TrunkNames(const Host& host, Resolver& resolver, const Metrics& metrics, Function<void()> changed)
    : host_(host),
      resolver_(resolver),
      metrics_(metrics),
      log_(host),
      changed_(std::move(changed)),
      poll_timer_(host) {}

void TrunkNames::watch(const std::vector<HostQuery>& names) {
  std::map<HostQuery, Name> next;
  for (const HostQuery& name : names) {
    const auto known = names_.find(name);
    Name& entry = next[name] = known != names_.end() ? known->second : Name();
    entry.due_ns = 0;
  }
  names_ = std::move(next);
  count_unresolved();
  resolve_due();
}

std::vector<lib::SocketAddress> TrunkNames::addresses() const {
  std::vector<lib::SocketAddress> all;
  for (const auto& [name, entry] : names_) all.insert(all.end(), entry.found.begin(), entry.found.end());
  return all;
}

Addresses TrunkNames::addresses_of(const HostQuery& name) const {
  const auto at = names_.find(name);
  return at != names_.end() ? at->second.found : Addresses();
}

bool TrunkNames::is_unresolved(const HostQuery& name) const {
  const auto at = names_.find(name);
  return at != names_.end() && at->second.has_failed && at->second.found.empty();
}

void TrunkNames::count_unresolved() const {
  metrics_.set_unresolved_names(static_cast<size_t>(
      std::count_if(names_.begin(), names_.end(), [](const auto& name) { return name.second.has_failed; })));
}

void TrunkNames::resolve_due() {
  for (auto& [name, entry] : names_) {
    if (entry.is_pending || host_.mono_ns() < entry.due_ns) continue;
    entry.is_pending = true;
    auto done = alive_.bind([this, name](const Result<Location>& found) { on_resolved(name, found); });
    resolver_.refresh(name, [&host = host_, done](const Result<Location>& found) {
      post(host, kMainStrand, [done, found]() mutable { done(found); });
    });
  }
  if (!names_.empty()) poll_timer_.after_ms(kNamePollMs, [this] { resolve_due(); });
}

void TrunkNames::on_resolved(const HostQuery& name, const Result<Location>& found) {
  const auto at = names_.find(name);
  if (at == names_.end()) return;
  Name& entry = at->second;
  entry.is_pending = false;
  entry.due_ns = host_.mono_ns() + (found ? kNameRefreshMs : kNameRetryMs) * 1'000'000;
  const bool had_failed = std::exchange(entry.has_failed, !found);
  count_unresolved();
  if (!found) {
    metrics_.name_failed();
    if (!had_failed)
      log_.warn("a trunk's name is not resolved", {{"name", name.host}, {"why", found.error().text}});
    return;
  }
  if (had_failed) log_.info("a trunk's name is resolved again", {{"name", name.host}});
  entry.found.clear();
  for (const Server& server : found->servers)
    entry.found.insert(entry.found.end(), server.addresses.begin(), server.addresses.end());
  changed_();
}

}  // namespace patchbay::sip_trunk
