#include "lane_ownership.h"

#include <utility>

namespace patchbay::webhooks {
namespace {

constexpr int64_t kThisRun = 1, kAnotherServer = 2;  // as the statement lanes-read says

}  // namespace

LaneOwnership::LaneOwnership(const Host& host, const Log& log, Function<void(const std::string&)> ready)
    : host_(host),
      log_(log),
      ready_(std::move(ready)),
      take_(Statement::find(host, "lane-take")),
      lanes_(Statement::find(host, "lanes-read")),
      timer_(host) {
  // Without randomness the plugin cannot run anyway.
  if (auto owner = lib::Owner::read(host)) owner_ = *std::move(owner);
}

void LaneOwnership::start() {
  if (owner_.is_shared) timer_.after_ms(lib::kOwnerPollMs, [this] { read(); });
}

bool LaneOwnership::has(const std::string& subscription) {
  if (!owner_.is_shared || own_.count(subscription) != 0) return true;
  if (of_others_.count(subscription) == 0) take(subscription);
  return false;
}

void LaneOwnership::take(const std::string& subscription) {
  if (!taking_.insert(subscription).second) return;
  Transaction tx(host_);
  tx.exec(take_, {subscription, owner_.run, owner_.node, owner_.epoch}, 1);
  std::move(tx).commit(alive_.bind([this, subscription](const Commit& taken) {
    taking_.erase(subscription);
    if (taken) {
      own_.insert(subscription);
      return ready_(subscription);
    }
    if (taken.code() == Code::conflict) of_others_.insert(subscription);  // until the next look
  }));
}

void LaneOwnership::read() {
  query(host_, lanes_, {host_.wall_ms(), owner_.run, owner_.node, owner_.epoch},
        alive_.bind([this](const Result<Rows>& rows) {
          if (!rows && !std::exchange(failed_, true))
            log_.warn("deliveries of other servers are not seen", {{"why", rows.error().text}});
          if (rows) on_rows(*rows);
          start();
        }));
}

void LaneOwnership::on_rows(const Rows& rows) {
  failed_ = false;
  of_others_.clear();
  for (size_t row = 0; row < rows.size(); ++row) {
    const std::string subscription(rows.text(row, 0));
    const int64_t owner = rows.integer(row, 1);
    const bool is_due = rows.integer(row, 2) != 0;
    if (owner == kThisRun) {
      own_.insert(subscription);
      if (is_due) ready_(subscription);
      continue;
    }
    own_.erase(subscription);  // if this server's lease ran out meanwhile
    if (owner == kAnotherServer) of_others_.insert(subscription);
    if (owner != kAnotherServer && is_due) take(subscription);
  }
}

}  // namespace patchbay::webhooks
