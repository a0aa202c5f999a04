// SubscriptionStore: loads subscriptions, applies configuration to them and changes them. The registry has
// the changes of a function when its callback runs. On the main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/audit.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <set>
#include <string>
#include <vector>

#include "read_settings.h"
#include "revision/revision_poll.h"
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

  SubscriptionStore(const Host& host, const Log& log, SubscriptionRegistry& registry);

  // Reads everything into the registry. Call it once, at start.
  void load(Done done);
  // Afterwards reads it again whenever another server on the database has changed it, and calls changed().
  void watch(Function<void()> changed);
  // Adds, changes (which reactivates) and removes configured subscriptions so that they are those of
  // `wanted`, in one transaction. Code::conflict: an id belongs to a subscription created over REST.
  void reconcile(const std::vector<Definition>& wanted, Done done);

  // The following are requested by a user: each is committed with its audit record. Code::conflict: the
  // subscription was changed meanwhile, so that the record would be wrong.
  // `definition` must have a new id.
  void create(Definition definition, std::string created_by, audit::Record record, Done done);
  void change(const Subscription& subscription, Change change, audit::Record record, Done done);
  void remove(const Subscription& subscription, audit::Record record, Done done);
  // Signs later events with `secret`.
  void rotate(const Subscription& subscription, std::string secret, audit::Record record, Done done);

 private:
  void load_secrets(std::vector<Subscription> subscriptions, std::set<std::string> known, Done done);
  void reload();
  static std::vector<Subscription> read_subscriptions(const Rows& rows);
  void take_row(Subscription row);
  void read_secrets(const Rows& rows);
  Status add(Transaction& tx, const Subscription& subscription);
  Status add_secret(Transaction& tx, const Subscription& subscription, const std::string& secret);
  Status apply(Transaction& tx, const Definition& wanted, int64_t now_ms);
  Status redefine(Transaction& tx, const Subscription& current, const Definition& wanted);
  void delete_rows(Transaction& tx, const Subscription& subscription, bool only_unchanged);
  static Subscription new_subscription(const Definition& definition, std::string created_by, bool from_config,
                                       int64_t created_ms);
  // `now_ms`: that of apply(), so that the row and the registry say the same.
  void apply_in_memory(const Definition& definition, int64_t now_ms);
  Secret make_secret(int64_t rev, int64_t since_ms, std::string value) const;
  void append_secret(Subscription& subscription, std::string value);

  // borrowed
  const Host& host_;
  const Log& log_;
  SubscriptionRegistry& registry_;
  // owned
  const Statement subscriptions_, secrets_, add_, change_, remove_, touch_, secret_add_, secrets_remove_,
      deliveries_remove_, lane_remove_;
  audit::Trail trail_;
  lib::RevisionPoll revisions_;
  Timer reload_timer_;
  Function<void()> changed_;  // set by watch()
  Lifetime alive_;
};

}  // namespace patchbay::webhooks
