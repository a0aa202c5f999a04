// LaneOwnership: which subscriptions' deliveries this server sends. Of several servers on one database one
// has the lane of a subscription, so that its deliveries are sent once, in order and within its limit; when
// that server dies, another takes the lane. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <set>
#include <string>

#include "owner/owner.h"

namespace patchbay::webhooks {

class LaneOwnership {
 public:
  // ready(): called when this server has, or has just got, the lane of a subscription with deliveries that
  // are due.
  LaneOwnership(const Host& host, const Log& log, Function<void(const std::string&)> ready);

  // Looks once a second for what other servers have added or left, if they may use the database.
  void start();
  // Whether this server sends the deliveries. If not, tries to get the lane and calls ready() then.
  bool has(const std::string& subscription);

 private:
  void take(const std::string& subscription);
  void read();
  void on_rows(const Rows& rows);

  // borrowed
  const Host& host_;
  const Log& log_;
  // owned
  const Function<void(const std::string&)> ready_;
  const Statement take_, lanes_;
  Timer timer_;
  Lifetime alive_;
  // state
  lib::Owner owner_;
  std::set<std::string> own_;
  std::set<std::string> of_others_;  // as read last
  std::set<std::string> taking_;
  bool failed_ = false;  // reported once
};

}  // namespace patchbay::webhooks
