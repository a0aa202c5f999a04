#include "subscription_store.h"

#include <set>
#include <utility>

#include "webhook_limits.h"

namespace patchbay::webhooks {
namespace {

constexpr const char* kDomain = "subscriptions";  // of the revision
constexpr int64_t kAny = -1;                      // the value of a condition that always holds

std::string seal_context(const std::string& subscription, int64_t rev) {
  return "webhooks_secret/" + subscription + "/" + std::to_string(rev);
}

bool same_definition(const Subscription& current, const Definition& wanted) {
  return current.tenant == wanted.tenant && current.url == wanted.url && current.events == wanted.events &&
         !current.secrets.empty() && current.secrets.back().value == wanted.secret;
}

}  // namespace

SubscriptionStore::SubscriptionStore(const Host& host, const Log& log, SubscriptionRegistry& registry)
    : host_(host),
      log_(log),
      registry_(registry),
      subscriptions_(Statement::find(host, "subscriptions")),
      secrets_(Statement::find(host, "secrets")),
      add_(Statement::find(host, "subscription-add")),
      change_(Statement::find(host, "subscription-change")),
      remove_(Statement::find(host, "subscription-remove")),
      touch_(Statement::find(host, "subscription-touch")),
      secret_add_(Statement::find(host, "secret-add")),
      secrets_remove_(Statement::find(host, "secrets-remove")),
      deliveries_remove_(Statement::find(host, "deliveries-remove")),
      lane_remove_(Statement::find(host, "lane-remove")),
      trail_(host),
      revisions_(host),
      reload_timer_(host) {}

// Takes what is known before the read: what is created meanwhile is missing in the rows, but was not deleted.
// The registry changes when all is read, because no event may meet a subscription without its secrets.
void SubscriptionStore::load(Done done) {
  std::set<std::string> known;
  for (const Subscription* each : registry_.all()) known.insert(each->id);
  query(
      host_, subscriptions_, {},
      alive_.bind([this, known = std::move(known), done = std::move(done)](const Result<Rows>& rows) mutable {
        if (!rows) return done(rows.error());
        load_secrets(read_subscriptions(*rows), std::move(known), std::move(done));
      }));
}

void SubscriptionStore::load_secrets(std::vector<Subscription> subscriptions, std::set<std::string> known,
                                     Done done) {
  query(host_, secrets_, {},
        alive_.bind([this, subscriptions = std::move(subscriptions), known = std::move(known),
                     done = std::move(done)](const Result<Rows>& secrets) mutable {
          if (!secrets) return done(secrets.error());
          for (Subscription& each : subscriptions) {
            known.erase(each.id);
            take_row(std::move(each));
          }
          for (const std::string& gone : known) registry_.remove(gone);
          read_secrets(*secrets);
          done({});
        }));
}

void SubscriptionStore::watch(Function<void()> changed) {
  changed_ = std::move(changed);
  revisions_.watch(kDomain, [this] { reload(); });
  revisions_.start();
}

void SubscriptionStore::reload() {
  load([this](const Status& status) {
    if (status) return changed_();
    log_.warn("subscriptions cannot be read again yet", {{"why", status.error().text}});
    reload_timer_.after_ms(kStoreRetryMs, [this] { reload(); });
  });
}

std::vector<Subscription> SubscriptionStore::read_subscriptions(const Rows& rows) {
  std::vector<Subscription> list;
  for (size_t i = 0; i < rows.size(); ++i) {
    Subscription one;
    one.id = rows.text(i, 0);
    one.tenant = rows.text(i, 1);
    one.url = rows.text(i, 2);
    one.events = split_events(rows.text(i, 3));
    one.from_config = rows.integer(i, 4) != 0;
    one.active = rows.integer(i, 5) != 0;
    one.failures = rows.integer(i, 6);
    one.created_ms = rows.integer(i, 7);
    one.created_by = rows.text(i, 8);
    one.last_fired_ms = rows.integer(i, 9);
    one.rev = rows.integer(i, 10);
    list.push_back(std::move(one));
  }
  return list;
}

// Ignores a row that is older than a change which was committed here since the read.
void SubscriptionStore::take_row(Subscription row) {
  Subscription* current = registry_.find(row.id);
  if (current == nullptr) return static_cast<void>(registry_.put(std::move(row)));
  if (row.rev < current->rev) return;
  if (row.tenant != current->tenant || row.created_ms != current->created_ms) {
    registry_.remove(row.id);
    registry_.put(std::move(row));
    return;
  }
  row.secrets = std::move(current->secrets);
  *current = std::move(row);
}

void SubscriptionStore::read_secrets(const Rows& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    Subscription* subscription = registry_.find(rows.text(i, 0));
    if (subscription == nullptr) continue;
    const int64_t rev = rows.integer(i, 1);
    if (subscription->secret_of(rev) != nullptr) continue;
    auto plain = unseal(host_, rows.text(i, 3), seal_context(subscription->id, rev));
    if (!plain) {
      log_.error("the secret of a subscription cannot be read: rotate it",
                 {{"subscription", subscription->id},
                  {"tenant", subscription->tenant},
                  {"why", plain.error().text}});
    }
    subscription->secrets.push_back(make_secret(rev, rows.integer(i, 2), std::move(plain).value_or("")));
  }
}

Secret SubscriptionStore::make_secret(int64_t rev, int64_t since_ms, std::string value) const {
  auto guard = value.empty() ? nullptr : std::make_unique<SecretGuard>(host_, value);
  return {rev, since_ms, std::move(value), std::move(guard)};
}

void SubscriptionStore::append_secret(Subscription& subscription, std::string value) {
  const int64_t rev = subscription.secrets.empty() ? 1 : subscription.secrets.back().rev + 1;
  subscription.secrets.push_back(make_secret(rev, host_.wall_ms(), std::move(value)));
}

Subscription SubscriptionStore::new_subscription(const Definition& definition, std::string created_by,
                                                 bool from_config, int64_t created_ms) {
  Subscription made;
  made.id = definition.id;
  made.tenant = definition.tenant;
  made.url = definition.url;
  made.events = definition.events;
  made.from_config = from_config;
  made.created_ms = created_ms;
  made.created_by = std::move(created_by);
  return made;
}

Status SubscriptionStore::add(Transaction& tx, const Subscription& subscription) {
  tx.exec(add_,
          {subscription.id, subscription.tenant, subscription.url, join_events(subscription.events),
           subscription.from_config ? 1 : 0, subscription.created_ms, subscription.created_by},
          1);
  return {};
}

Status SubscriptionStore::add_secret(Transaction& tx, const Subscription& subscription,
                                     const std::string& secret) {
  const int64_t rev = subscription.secrets.empty() ? 1 : subscription.secrets.back().rev + 1;
  PB_TRY_VALUE(const std::string sealed, seal(host_, secret, seal_context(subscription.id, rev)));
  tx.exec(secret_add_, {subscription.id, rev, host_.wall_ms(), Value::bytes(sealed)}, 1);
  return {};
}

void SubscriptionStore::delete_rows(Transaction& tx, const Subscription& subscription, bool only_unchanged) {
  const int64_t rev = only_unchanged ? subscription.rev : kAny;
  const int64_t active = only_unchanged ? int64_t{subscription.active} : kAny;
  tx.exec(remove_, {subscription.id, subscription.tenant, rev, active}, 1);
  tx.exec(secrets_remove_, {subscription.id});
  tx.exec(lane_remove_, {subscription.id});
  tx.exec(deliveries_remove_, {subscription.id, subscription.tenant});
}

Status SubscriptionStore::redefine(Transaction& tx, const Subscription& current, const Definition& wanted) {
  tx.exec(change_, {current.id, current.rev, wanted.url, join_events(wanted.events), 1, current.tenant, kAny},
          1);
  const bool same_secret = !current.secrets.empty() && current.secrets.back().value == wanted.secret;
  return same_secret ? Status() : add_secret(tx, current, wanted.secret);
}

Status SubscriptionStore::apply(Transaction& tx, const Definition& wanted, int64_t now_ms) {
  const Subscription* current = registry_.find(wanted.id);
  if (current != nullptr && !current->from_config)
    return {Code::conflict, "a subscription created over REST has the id " + wanted.id +
                                " already: delete it or give the configured one another id"};
  if (current != nullptr && current->tenant == wanted.tenant) return redefine(tx, *current, wanted);
  if (current != nullptr) delete_rows(tx, *current, false);
  const Subscription made = new_subscription(wanted, "config", true, now_ms);
  PB_TRY(add(tx, made));
  return add_secret(tx, made, wanted.secret);
}

// Applies to the registry what apply() has written.
void SubscriptionStore::apply_in_memory(const Definition& wanted, int64_t now_ms) {
  Subscription* current = registry_.find(wanted.id);
  if (current == nullptr || current->tenant != wanted.tenant) {
    current = registry_.put(new_subscription(wanted, "config", true, now_ms));
  } else {
    if (!current->active) current->failures = 0;
    current->active = true;
    current->url = wanted.url;
    current->events = wanted.events;
    ++current->rev;
  }
  if (current->secrets.empty() || current->secrets.back().value != wanted.secret)
    append_secret(*current, wanted.secret);
}

void SubscriptionStore::reconcile(const std::vector<Definition>& wanted, Done done) {
  const int64_t now_ms = host_.wall_ms();
  Transaction tx(host_);
  revisions_.raise(tx, kDomain);
  std::vector<Definition> changed;
  std::set<std::string> kept;
  for (const Definition& definition : wanted) {
    kept.insert(definition.id);
    const Subscription* current = registry_.find(definition.id);
    if (current != nullptr && current->from_config && same_definition(*current, definition)) continue;
    if (Status status = apply(tx, definition, now_ms); !status) return done(std::move(status));
    changed.push_back(definition);
  }
  std::vector<std::string> removed;
  for (const Subscription* current : registry_.all()) {
    if (!current->from_config || kept.count(current->id) != 0) continue;
    removed.push_back(current->id);
    delete_rows(tx, *current, false);
  }
  if (changed.empty() && removed.empty()) return done({});
  std::move(tx).commit(alive_.bind([this, now_ms, changed = std::move(changed), removed = std::move(removed),
                                    done = std::move(done)](const Commit& outcome) {
    if (!outcome) return done(outcome.error());
    for (const std::string& id : removed) registry_.remove(id);
    for (const Definition& definition : changed) apply_in_memory(definition, now_ms);
    done({});
  }));
}

void SubscriptionStore::create(Definition definition, std::string created_by, audit::Record record,
                               Done done) {
  Subscription made = new_subscription(definition, std::move(created_by), false, host_.wall_ms());
  Transaction tx(host_);
  revisions_.raise(tx, kDomain);
  Status status = add(tx, made);
  if (status) status = add_secret(tx, made, definition.secret);
  if (!status) return done(std::move(status));
  trail_.commit(std::move(tx), std::move(record),
                alive_.bind([this, made = std::move(made), secret = std::move(definition.secret),
                             done = std::move(done)](const Commit& outcome) mutable {
                  if (!outcome) return done(outcome.error());
                  append_secret(*registry_.put(std::move(made)), std::move(secret));
                  done({});
                }));
}

void SubscriptionStore::change(const Subscription& subscription, Change change, audit::Record record,
                               Done done) {
  Transaction tx(host_);
  revisions_.raise(tx, kDomain);
  const size_t changed = tx.exec(change_,
                                 {subscription.id, subscription.rev, change.url, join_events(change.events),
                                  change.active ? 1 : 0, subscription.tenant, subscription.active ? 1 : 0},
                                 1);
  trail_.commit(std::move(tx), std::move(record),
                alive_.bind([this, id = subscription.id, change = std::move(change), changed,
                             done = std::move(done)](const Commit& outcome) mutable {
                  if (!outcome) return done(outcome.error());
                  if (Subscription* current = registry_.find(id)) {
                    current->url = std::move(change.url);
                    current->events = std::move(change.events);
                    current->active = change.active;
                    if (!outcome.result(changed).empty())
                      current->failures = outcome.result(changed).integer(0, 0);
                    ++current->rev;
                  }
                  done({});
                }));
}

void SubscriptionStore::remove(const Subscription& subscription, audit::Record record, Done done) {
  Transaction tx(host_);
  revisions_.raise(tx, kDomain);
  delete_rows(tx, subscription, true);
  trail_.commit(std::move(tx), std::move(record),
                alive_.bind([this, id = subscription.id, done = std::move(done)](const Commit& outcome) {
                  if (!outcome) return done(outcome.error());
                  registry_.remove(id);
                  done({});
                }));
}

void SubscriptionStore::rotate(const Subscription& subscription, std::string secret, audit::Record record,
                               Done done) {
  Transaction tx(host_);
  revisions_.raise(tx, kDomain);
  tx.exec(touch_, {subscription.id, subscription.rev, subscription.tenant}, 1);
  if (Status status = add_secret(tx, subscription, secret); !status) return done(std::move(status));
  trail_.commit(std::move(tx), std::move(record),
                alive_.bind([this, id = subscription.id, secret = std::move(secret),
                             done = std::move(done)](const Commit& outcome) mutable {
                  if (!outcome) return done(outcome.error());
                  if (Subscription* current = registry_.find(id)) {
                    append_secret(*current, std::move(secret));
                    ++current->rev;
                  }
                  done({});
                }));
}

}  // namespace patchbay::webhooks
