#include "subscription.h"

#include <patchbay/hex.h>

#include <algorithm>

#include "crypto/digest.h"
#include "event_catalogue.h"

namespace patchbay::webhooks {

bool Subscription::wants(std::string_view topic) const {
  return std::any_of(events.begin(), events.end(),
                     [topic](const std::string& name) { return name == kAllEvents || name == topic; });
}

const Secret* Subscription::secret_at(int64_t time_ms) const {
  for (auto secret = secrets.rbegin(); secret != secrets.rend(); ++secret) {
    if (secret->since_ms <= time_ms) return &*secret;
  }
  return secrets.empty() ? nullptr : &secrets.front();
}

const Secret* Subscription::secret_of(int64_t wanted) const {
  for (const Secret& secret : secrets) {
    if (secret.rev == wanted) return &secret;
  }
  return nullptr;
}

std::vector<std::string> read_events(JsonView list) {
  std::vector<std::string> events;
  for (size_t i = 0; i < list.size(); ++i) events.emplace_back(list.at(i).text());
  return events;
}

std::string join_events(const std::vector<std::string>& events) {
  std::string text;
  for (const std::string& event : events) text.append(text.empty() ? "" : " ").append(event);
  return text;
}

std::vector<std::string> split_events(std::string_view text) {
  std::vector<std::string> events;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) events.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return events;
}

std::string subscription_id(std::string_view tenant, std::string_view url) {
  std::string both(tenant);
  both.append(url);
  return to_hex(lib::sha256(both)).substr(0, 16);
}

Subscription* SubscriptionRegistry::find(std::string_view id) {
  const auto found = by_id_.find(id);
  return found != by_id_.end() ? found->second.get() : nullptr;
}

Subscription* SubscriptionRegistry::find(std::string_view id, std::string_view tenant) {
  Subscription* subscription = find(id);
  return subscription != nullptr && subscription->tenant == tenant ? subscription : nullptr;
}

std::vector<Subscription*> SubscriptionRegistry::of_tenant(std::string_view tenant) {
  std::vector<Subscription*> list;
  const auto found = by_tenant_.find(tenant);
  if (found == by_tenant_.end()) return list;
  for (const auto& [key, subscription] : found->second) list.push_back(subscription);
  return list;
}

std::vector<Subscription*> SubscriptionRegistry::all() {
  std::vector<Subscription*> list;
  for (const auto& [id, subscription] : by_id_) list.push_back(subscription.get());
  return list;
}

Subscription* SubscriptionRegistry::put(Subscription subscription) {
  remove(subscription.id);
  auto owned = std::make_unique<Subscription>(std::move(subscription));
  Subscription* borrowed = owned.get();
  by_tenant_[borrowed->tenant].emplace(Key{borrowed->created_ms, borrowed->id}, borrowed);
  by_id_.emplace(borrowed->id, std::move(owned));
  return borrowed;
}

void SubscriptionRegistry::remove(std::string_view id) {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  const Subscription& subscription = *found->second;
  by_tenant_[subscription.tenant].erase({subscription.created_ms, subscription.id});
  by_id_.erase(found);
}

}  // namespace patchbay::webhooks
