// Scheduler: from a stored call to a running attempt. Claims due calls, keeps the tenants' limits, cleans up
// after a crash.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/plugin.h>

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "config.h"
#include "engine_registry.h"
#include "outbound/call_store.h"
#include "outbound/crash_recovery.h"
#include "outbound/outbound_attempt.h"

namespace patchbay::ai_voice {

// Main strand only.
class Scheduler {
 public:
  Scheduler(const Host& host, const CallStore& store, const EngineRegistry& engines, const Settings& settings,
            const CallMetrics& metrics);

  // Ends what a process that is gone has left running, then begins to claim.
  void start();
  // Claims nothing more; done() when no attempt runs.
  void drain(Function<void()> done);
  // Ends what runs; done() when its end is on disk.
  void stop(Function<void()> done);

  // The limit for which another call of the tenant has to wait: "tenant" or "server"; "": none.
  std::string_view limit_of(const std::string& tenant, const TenantSettings& settings) const;
  // The running attempt of the call; null when none runs.
  std::shared_ptr<OutboundAttempt> find(const std::string& call_id) const;

 private:
  void claim(const Job& job);
  void claim_call(const Job& job, Call call);
  void begin(Call call, std::string api_key, const RegisteredEngine& engine, const TenantSettings& settings);
  void drop(const Job& job);
  void later(const Job& job);
  void retry(const Job& job, int64_t delay_ms);
  void hold_back(const Job& job);
  void no_longer_held_back(const std::string& call_id);
  void wake_held_back();
  void refuse(const Job& job, Call call, const std::string& why);
  void ended(const std::string& call_id);
  void when_idle(Function<void()> done);
  void look_idle();
  void give_memory_back();

  // A call that waits for a limit of its tenant or of the server.
  struct HeldBack {
    std::string tenant;
    std::string call_id;
  };

  // borrowed
  const Host& host_;
  const CallStore& store_;
  const EngineRegistry& engines_;
  const Settings& settings_;
  const CallMetrics& metrics_;
  // owned
  const Log log_;
  Recovery recovery_;
  std::unique_ptr<JobWorker> worker_;
  std::map<std::string, std::shared_ptr<OutboundAttempt>> attempts_;  // shared with the attempts themselves
  std::deque<HeldBack> held_back_;                                    // by how long they wait
  Function<void()> idle_;                                             // not empty: nothing new is begun
  std::map<std::string, size_t> claiming_;  // by tenant: claims on their way to the disk
  int64_t engines_known_ns_ = 0;            // until then a call whose engine is not known waits for it
  size_t most_running_ = 0;                 // since memory was given back
  bool stopping_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice
