// What an attempt's outcome means: for the delivery (delivered, retried, failed) and for its subscription
// (which is paused after kFailuresToPause failed deliveries in a row).
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http_sender.h"
#include "subscription.h"

namespace patchbay::webhooks {

// An attempt that is in flight or whose outcome is not recorded yet.
struct Attempt {
  std::string subscription, tenant, delivery, subject, topic;
  int64_t number = 0;  // 1 to kMaxAttempts
  int64_t due_ms = 0, started_ms = 0;
  bool quick = false;  // the kind of its slot
  Outcome outcome;
};

enum class DeliveryState { delivered, pending, failed };

struct Verdict {
  DeliveryState state = DeliveryState::pending;
  int64_t next_attempt_ms = 0;  // of a pending one
};

// Decides about a delivery after an attempt. Every failure is retried, whatever the receiver's status, until
// kMaxAttempts have failed.
Verdict judge(const Attempt& attempt);

// Records the outcomes of attempts in the store, in the registry and in metrics. On the main strand.
class OutcomeRecorder {
 public:
  // Calls `recorded` once for each attempt, after its outcome is in the store or its delivery was deleted.
  OutcomeRecorder(const Host& host, const Log& log, SubscriptionRegistry& registry,
                  Function<void(const Attempt&)> recorded);

  // Logs and counts a failure.
  void report(const Attempt& attempt);
  // Retries while the store refuses, whatever the reason, so that a delivery is not sent twice because of,
  // say, a full disk. Failed attempts that are repeated are recorded together, at most every
  // kRetryRecordIntervalMs, because otherwise receivers that fail keep the store busy and delay the others.
  void record(Attempt attempt);

 private:
  void record_end(Attempt attempt, DeliveryState state);
  void record_retries();
  void retry_later(Attempt attempt, const Error& why);
  void apply_to_subscription(const Attempt& attempt, const Commit& committed);
  void report_pause(const Subscription& subscription);

  // borrowed
  const Host& host_;
  const Log& log_;
  SubscriptionRegistry& registry_;
  // owned
  const Function<void(const Attempt&)> recorded_;
  const Statement retry_, end_, succeeded_, failed_, revision_raise_;
  const Metric delivered_, attempts_failed_, deliveries_failed_, paused_;
  Timer timer_, interval_;
  Lifetime alive_;
  // state
  std::vector<Attempt> retries_;     // wait for the interval
  std::vector<Attempt> unrecorded_;  // refused by the store
};

}  // namespace patchbay::webhooks
