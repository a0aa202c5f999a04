// Scheduler: starts the attempts of due calls. Claims the calls, applies the limits, recovers after a crash.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/plugin.h>
#include <patchbay/strand.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine_registry.h"
#include "outbound/attempt_end_writer.h"
#include "outbound/call_store.h"
#include "outbound/crash_recovery.h"
#include "outbound/load_limit.h"
#include "outbound/outbound_attempt.h"
#include "read_settings.h"

namespace patchbay::ai_voice {

// Main strand only.
class Scheduler {
 public:
  Scheduler(const Host& host, const CallStore& store, const EngineRegistry& engines, const Settings& settings,
            const CallMetrics& metrics);

  // Ends the attempts that an earlier run of the plugin left running, and starts to claim calls.
  void start();
  // Stops claiming. Calls done() when no attempt runs.
  void drain(Function<void()> done);
  // Ends the running attempts. Calls done() when their ends are stored.
  void stop(Function<void()> done);

  // Returns the limit that makes another call of the tenant wait: "tenant" or "server"; "": none.
  std::string_view reached_limit(const std::string& tenant, const TenantSettings& settings) const;
  // Returns whether the load lets another call start now; counts the call, or the refusal.
  bool admit();
  // Returns the running attempt of the call; null if none runs.
  std::shared_ptr<OutboundAttempt> find(const std::string& call_id) const;

 private:
  enum class Held { for_slot, for_load };
  // A call that waits because a limit of its tenant or of the server, or the load, is reached. Keeps its
  // place when it was started and has to wait again.
  struct HeldCall {
    std::string tenant;
    std::string call_id;
    Held why;
    bool is_started = false;
  };

  void claim(const Job& job);
  void claim_call(const Job& job, Call call);
  // Returns until when a call waits for an engine that is unknown or has ended; 0: the engine can be used.
  int64_t registration_ends_ns(const RegisteredEngine* engine) const;
  void start_attempt(Call call, std::string api_key, const RegisteredEngine& engine,
                     const TenantSettings& settings);
  void complete_job(const Job& job);
  void postpone_briefly(const Job& job);
  void postpone(const Job& job, int64_t delay_ms);
  void hold(const Job& job, Held why);
  void release_held(const std::string& call_id);
  void start_held_call(std::optional<Held> why = {});  // nullopt: whatever it waits for
  void fail_call(const Job& job, Call call, const std::string& why);
  void on_attempt_ended(const std::string& call_id);
  void stop_claiming(Function<void()> done);
  void notify_if_idle();
  void trim_memory();
  size_t running() const;  // attempts, and claims being committed
  size_t room() const;     // how many calls the load lets start
  void sample_load();
  void count_refusal(std::string_view limit);
  void end_refusals();

  // borrowed
  const Host& host_;
  const CallStore& store_;
  const EngineRegistry& engines_;
  const Settings& settings_;
  const CallMetrics& metrics_;
  // owned
  const Log log_;
  AttemptEndWriter writer_;
  CrashRecovery recovery_;
  std::unique_ptr<JobWorker> worker_;
  Timer load_timer_;
  std::map<std::string, std::shared_ptr<OutboundAttempt>> attempts_;  // shared with the attempts themselves
  std::deque<HeldCall> held_calls_;                                   // the longest waiting first
  Function<void()> on_idle_;                                          // set by drain() and stop()
  std::map<std::string, size_t> claiming_;                            // claims being committed, by tenant
  int64_t first_registration_ends_ns_ = 0;  // until then a call waits for an unknown engine
  size_t max_running_ = 0;                  // since the last trim_memory()
  LoadLimit load_;
  size_t refusals_ = 0;          // by the load, since calls could start
  int64_t last_refusal_ns_ = 0;  // monotonic clock
  bool stopping_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice
