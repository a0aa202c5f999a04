// Subscriptions in the store: loading them, bringing configuration in, changing them. What a function writes
// is in the registry when its callback runs. On the main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>

#include <string>
#include <vector>

#include "config.h"
#include "subscription.h"

namespace patchbay::webhooks {

class SubscriptionStore {
 public:
  using Done = Function<void(Status)>;
  struct Change {
    std::string url;
    std::vector<std::string> events;
    bool active = true;  // a paused subscription that becomes active begins with no failures
  };

  SubscriptionStore(const Host& host, const Log& log, Registry& registry);

  // Reads everything. Once, at start.
  void load(Done done);
  // Makes the subscriptions from configuration those of `wanted`: adds, changes (which reactivates) and
  // removes, in one transaction. Code::conflict when an id belongs to one made over REST.
  void reconcile(const std::vector<Definition>& wanted, Done done);

  // `by`: who. Code::conflict is not to be expected of a new id.
  void create(Definition definition, std::string by, Done done);
  // Code::conflict when it was changed meanwhile.
  void change(const Subscription& subscription, Change change, Done done);
  void remove(const Subscription& subscription, Done done);
  // Events from now on are signed with `secret`.
  void rotate(const Subscription& subscription, std::string secret, Done done);

 private:
  void load_secrets(Done done);
  void read_subscriptions(const Rows& rows);
  void read_secrets(const Rows& rows);
  Status add(Transaction& tx, const Subscription& subscription);
  Status add_secret(Transaction& tx, const Subscription& subscription, const std::string& secret);
  Status bring_in(Transaction& tx, const Definition& wanted);
  Status redefine(Transaction& tx, const Subscription& current, const Definition& wanted);
  void drop(Transaction& tx, const Subscription& subscription);
  Subscription make(const Definition& definition, std::string by, bool from_config) const;
  void accept(const Definition& definition);
  Secret make_secret(int64_t rev, int64_t since_ms, std::string value) const;
  void keep_secret(Subscription& subscription, std::string value);

  // borrowed
  const Host& host_;
  const Log& log_;
  Registry& registry_;
  // owned
  const Statement subscriptions_, secrets_, add_, change_, remove_, secret_add_, secrets_remove_,
      deliveries_remove_;
  Lifetime alive_;
};

}  // namespace patchbay::webhooks
