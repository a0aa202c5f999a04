// AuditLog: provides patchbay.audit, and removes old records. On the main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/service.h>
#include <patchbay/services/audit.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include "audit_id.h"

namespace patchbay::rest_api {

class AuditLog {
 public:
  explicit AuditLog(const Host& host);

  // How long records are kept.
  void configure(int64_t keep_ms) { keep_ms_ = keep_ms; }
  // Publishes the service; removes old records now and then every hour.
  Status open();

 private:
  Result<Empty> record(const audit::Record& record);
  void sweep();

  // borrowed
  const Host& host_;
  // owned
  const Statement add_, sweep_;
  const Metric records_;
  Provision<audit::Audit> service_;
  Timer timer_;
  Lifetime alive_;
  // state
  AuditIds ids_;
  int64_t keep_ms_ = 0;
};

}  // namespace patchbay::rest_api
