// Subscriptions and their registry in memory.
#pragma once

#include <patchbay/json.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "subscription_secret.h"

namespace patchbay::webhooks {

struct Subscription {
  std::string id;  // 16 hex characters
  std::string tenant;
  std::string url;
  std::vector<std::string> events;
  bool from_config = false;
  bool active = true;
  int64_t failures = 0;  // consecutive failed deliveries
  int64_t created_ms = 0;
  std::string created_by;
  int64_t last_fired_ms = 0;  // 0: never
  int64_t rev = 1;
  std::vector<Secret> secrets;  // by rev, the current one last

  bool wants(std::string_view topic) const;
  // The secret that was current at that wall-clock time.
  const Secret* secret_at(int64_t time_ms) const;
  const Secret* secret_of(int64_t rev) const;
};

// Converts the events of a subscription from a JSON array, and to and from a column of the store (names
// separated by spaces).
std::vector<std::string> read_events(JsonView list);
std::string join_events(const std::vector<std::string>& events);
std::vector<std::string> split_events(std::string_view text);

// The id of a configured subscription without an `id`.
std::string subscription_id(std::string_view tenant, std::string_view url);

// All subscriptions. On the main strand.
class SubscriptionRegistry {
 public:
  Subscription* find(std::string_view id);
  // Null: not found, or another tenant's.
  Subscription* find(std::string_view id, std::string_view tenant);
  // In order of creation.
  std::vector<Subscription*> of_tenant(std::string_view tenant);
  std::vector<Subscription*> all();

  Subscription* put(Subscription subscription);
  void remove(std::string_view id);

 private:
  using Key = std::pair<int64_t, std::string>;  // time of creation, id
  std::map<std::string, std::unique_ptr<Subscription>, std::less<>> by_id_;
  std::map<std::string, std::map<Key, Subscription*>, std::less<>> by_tenant_;
};

}  // namespace patchbay::webhooks
