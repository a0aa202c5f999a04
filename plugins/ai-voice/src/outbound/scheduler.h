// Scheduler: starts the attempts of due calls. Claims the calls, applies the limits, recovers after a crash.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/plugin.h>
#include <patchbay/services/telephony.h>
#include <patchbay/strand.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "end_writer.h"
#include "engine_registry.h"
#include "inbound/inbound_use.h"
#include "outbound/attempt_end_writer.h"
#include "outbound/call_store.h"
#include "outbound/crash_recovery.h"
#include "outbound/load_limit.h"
#include "outbound/outbound_attempt.h"
#include "outbound/ownership_watch.h"
#include "outbound/start_rate.h"
#include "read_settings.h"

namespace patchbay::ai_voice {

// A limit that makes a call wait, or that refuses it.
struct StartLimit {
  std::string_view label;  // of patchbay_ai_voice_limited_total; "": no limit is reached
  std::string text;        // "maxConcurrentCalls (100) of the tenant"
  int64_t pause_ns = 0;    // of a rate: when to try again; 0: when a call has ended
  explicit operator bool() const noexcept { return !label.empty(); }
};

// Main strand only.
class Scheduler {
 public:
  Scheduler(const Host& host, const CallStore& store, const EngineRegistry& engines, const Settings& settings,
            const CallMetrics& metrics, EndWriter& end_writer, const InboundUse& inbound);

  // Ends the attempts that an earlier run of the plugin left running, and starts to claim calls.
  void start();
  // Stops claiming. Calls done() when no attempt runs.
  void drain(Function<void()> done);
  // Ends the running attempts. Calls done() when their ends are stored.
  void stop(Function<void()> done);

  // Returns the limit of the tenant or of the server that makes another call of the tenant wait.
  StartLimit reached_limit(const std::string& tenant, const TenantSettings& settings) const;
  // The same without callsPerSecond, which spaces only the calls that we start.
  StartLimit reached_slots(const std::string& tenant, const TenantSettings& settings) const;
  // An inbound call has ended, so that a waiting call may start.
  void on_slot_free();
  // Returns the limit of the processors that lets no call start now: "load" or "late"; "": none. Counts the
  // call, or the refusal.
  std::string_view admit();
  // Reserves a place at a trunk of the call's number. done(limit) gets the limit of the trunks that makes the
  // call wait; none if there is no telephony to ask.
  void reserve_trunk(const Call& call, Function<void(const StartLimit&)> done);
  // Gives the place back, because the call is not dialled now.
  void release_trunk(const std::string& call_id);
  // Counts a call that the request already admits: dispatching when it is stored.
  void count_start(const std::string& tenant, const TenantSettings& settings);
  // Returns the running attempt of the call; null if none runs.
  std::shared_ptr<OutboundAttempt> find(const std::string& call_id) const;

 private:
  enum class Held { for_slot, for_load, for_rate, for_trunk };
  // A call that waits because a limit of its tenant or of the server, or the load, is reached. Keeps its
  // place when it was started and has to wait again.
  struct HeldCall {
    std::string tenant;
    std::string call_id;
    Held why;
    int64_t pause_ns = 0;    // of a rate
    int64_t started_ns = 0;  // 0: it waits
  };
  // A claim that waits for its trunk's place, or for its commit.
  struct Claim {
    Job job;
    Call call;  // as claimed
    std::string api_key;
    RegisteredEngine engine;
    TenantSettings settings;
    bool takes_rate = false;  // counted by rate_ for this claim
  };
  struct Reserved {
    std::string tenant;
    int64_t since_ns = 0;
  };

  void claim(const Job& job);
  void claim_call(const Job& job, Call call);
  StartLimit reached_rate(const std::string& tenant, const TenantSettings& settings) const;
  void on_trunk_limit(const Claim& claim, const StartLimit& limit);
  void commit_claim(Claim claim);
  void end_claim(const std::string& tenant);
  void add_shared_limits(Transaction& tx, const Claim& claim) const;
  // Returns the limit at which the commit was refused, because of calls of other servers, too; none: another
  // reason.
  StartLimit shared_limit(const Claim& claim, const Commit& outcome) const;
  void on_claim_refused(const Claim& claim, const Commit& outcome);
  void arm_slot_timer();
  void watch_reserved(const Call& call);
  void check_reserved();
  // Returns until when a call waits for an engine that is unknown or has ended; 0: the engine can be used.
  int64_t registration_ends_ns(const RegisteredEngine* engine) const;
  void start_attempt(Call call, std::string api_key, const RegisteredEngine& engine,
                     const TenantSettings& settings);
  void complete_job(const Job& job);
  void postpone_briefly(const Job& job);
  void postpone(const Job& job, int64_t delay_ms);
  void hold(const Job& job, const Call& call, Held why, const StartLimit& limit);
  void forget_started();
  void release_held(const std::string& call_id);
  void start_held_call(std::optional<Held> why = {});  // nullopt: whatever it waits for
  void start_held_call_after(const std::string& call_id);
  bool is_startable(const HeldCall& held, std::map<std::string, bool, std::less<>>& has_room) const;
  void start(HeldCall& held);
  void start_rated_calls();
  void arm_rate_timer(int64_t pause_ns);
  void fail_call(const Job& job, Call call, const std::string& why);
  void on_attempt_ended(const std::string& call_id);
  void stop_claiming(Function<void()> done);
  void notify_if_idle();
  std::vector<std::string> attempt_ids() const;
  void lose(const std::string& call_id);
  void hang_up(const std::string& call_id);
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
  EndWriter& end_writer_;
  const InboundUse& inbound_;
  // owned
  const Log log_;
  AttemptEndWriter writer_;
  CrashRecovery recovery_;
  OwnershipWatch ownership_;
  std::unique_ptr<JobWorker> worker_;
  Timer load_timer_;
  Timer rate_timer_;
  Timer slot_timer_;
  Timer reserved_timer_;
  Service<telephony::Telephony> telephony_;
  std::map<std::string, std::shared_ptr<OutboundAttempt>> attempts_;  // shared with the attempts themselves
  std::deque<HeldCall> held_calls_;                                   // the longest waiting first
  Function<void()> on_idle_;                                          // set by drain() and stop()
  std::map<std::string, size_t> claiming_;                            // claims being committed, by tenant
  std::map<std::string, Reserved>
      reserved_;  // by call: places at trunks, while other servers may claim the call
  int64_t first_registration_ends_ns_ = 0;  // until then a call waits for an unknown engine
  size_t max_running_ = 0;                  // since the last trim_memory()
  LoadLimit load_;
  StartRate rate_;
  size_t trunk_probes_ = 0;      // since a slot became free
  size_t refusals_ = 0;          // by the load, since calls could start
  int64_t last_refusal_ns_ = 0;  // monotonic clock
  bool stopping_ = false;
  Lifetime alive_;
};

}  // namespace patchbay::ai_voice
