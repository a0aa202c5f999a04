// Retention: deletes transcripts older than their tenant's keepDays, expired shares, and old mails'
// rows, once an hour. Main
// strand.
#pragma once

#include <patchbay/config.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <map>
#include <string>

#include "deletion.h"

namespace patchbay::transcripts {

// Days that transcripts are kept; 0: for ever.
struct KeepDays {
  int64_t by_default = 0;  // also of tenants that are no longer configured
  std::map<std::string, int64_t, std::less<>> by_tenant;

  static KeepDays read(const Config& config);
  int64_t of(std::string_view tenant) const;
};

class Retention {
 public:
  Retention(const Host& host, const Deletion& deletion);
  void set_keep_days(KeepDays keep_days) { keep_days_ = std::move(keep_days); }
  // Deletes what is old now, and then every kSweepIntervalMs.
  void sweep();

 private:
  void sweep_after(const std::string& tenant);
  void sweep_tenant(const std::string& tenant);
  void delete_old(const std::string& tenant, const Rows& rows);
  void prune();
  void sweep_later();

  // borrowed
  const Host& host_;
  const Deletion& deletion_;
  // owned
  const Log log_;
  const Statement next_tenant_, list_old_, prune_shares_, prune_mails_;
  Timer timer_;
  Lifetime alive_;
  // state
  KeepDays keep_days_;
};

}  // namespace patchbay::transcripts
