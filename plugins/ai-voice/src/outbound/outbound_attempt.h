// Attempt: one try to talk to one number. An actor on a strand of its own, alive from the claim until its end
// is on disk.
//
// It dials and opens the engine at once; joins both when the call is answered; keeps the words; and ends with
// one transaction: state, outbound-ai.finished, transcript.saved.
#pragma once

#include <patchbay/end_watch.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/audio.h>
#include <patchbay/services/engine.h>
#include <patchbay/services/telephony.h>
#include <patchbay/services/transcripts.h>
#include <patchbay/store.h>
#include <patchbay/strand.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calls/call_metrics.h"
#include "calls/call_table.h"
#include "calls/dtmf.h"
#include "text/safe_text.h"
#include "transcript_builder.h"

namespace patchbay::ai_voice {

struct AttemptInit {
  Call call;            // as claimed
  std::string api_key;  // in clear
  std::string greeting;
  Handle engine;
  int64_t ring_timeout_ms = 60000;
  bool log_conversation = false;  // whether what is said may stand in the log
};

// Shared: by the scheduler that lists it, and by itself until its end is told.
class Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  // ended() on the main strand, as its last.
  static std::shared_ptr<Attempt> start(const Host& host, const CallTable& table, const CallMetrics& metrics,
                                        AttemptInit init, Function<void()> ended);

  const std::string& call_id() const noexcept { return call_id_; }
  const std::string& tenant() const noexcept { return tenant_; }

  // [main strand] Ends it: CANCEL while it rings, BYE after. done() on the main strand once the end is on
  // disk.
  void cancel(Function<void()> done);
  // [any] The server stops.
  void interrupt();

 private:
  Attempt(const Host& host, const CallTable& table, const CallMetrics& metrics, AttemptInit init,
          Function<void()> ended);

  // What lives on the strand only: made by begin(), ended by finished().
  struct Live {
    Live(const Host& host, StrandId strand);
    Provision<telephony::LegListener> leg_listener;
    Provision<engine::Listener> engine_listener;
    Lease<telephony::Telephony> telephony;
    Lease<telephony::Leg> leg;
    Lease<engine::Engine> engine;
    Lease<engine::Session> session;
    Service<audio::Audio> audio;
    Lease<transcripts::Transcripts> transcripts;
    Timer limit;
    Timer warning;
    Timer again;     // of a commit that failed
    Timer leg_wait;  // for the end of a leg that was never answered
    Dtmf dtmf;
    // The plugins behind them may crash, and then report no end.
    EndWatch leg_gone;
    EndWatch session_gone;
    Lifetime alive;
  };

  void begin();
  void hear_leg();
  void hear_engine();
  void watch_providers();
  void open_engine();
  void dial();

  // Puts down what was said: a process that dies loses at most the turn being spoken.
  void keep_turns();
  void on_answered(const telephony::Answered& answered);
  void store_answer();
  void on_ai_audio();
  void on_leg_ended(const telephony::Ended& ended);
  void on_engine_closed(const engine::Closed& closed);
  void on_tool(const engine::ToolCall& tool);
  void join_when_both();
  void started_when_ready();
  void arm_limits();

  void end(Ending ending);
  void hang_up_leg();
  bool admits(const engine::Words& words);
  void settle();
  void close_media(Function<void()> then);
  void save();
  void commit(Transaction tx);
  void finished();

  bool answered() const noexcept { return call_.answered_ms > 0; }
  // Text that an engine or a trunk wrote, for people.
  std::string without_key(std::string_view text) const;
  std::string document() const;

  // borrowed
  const Host& host_;
  const CallTable& table_;
  const CallMetrics& metrics_;
  // owned
  const std::string call_id_;
  const std::string tenant_;
  Strand strand_;
  Call call_;
  const AttemptInit init_;
  const SecretGuard secret_;
  const Log log_;
  std::unique_ptr<Live> live_;
  Function<void()> ended_;
  // state, on the strand
  TranscriptBuilder words_;
  lib::TextFragments user_fragments_, ai_fragments_;  // engines of any plugin may cut a character in two
  engine::Usage usage_;
  Handle engine_port_;
  Handle leg_port_;
  int64_t answer_ms_ = 0;
  int64_t answered_ns_ = 0;
  int64_t first_audio_ms_ = -1;  // from the answer to the first audio of the engine
  int64_t join_ = 0;
  int64_t ended_ms_ = 0;
  bool engine_ready_ = false;
  bool answer_stored_ = false;
  bool begun_ = false;
  bool joining_ = false;
  int replies_due_ = 0;  // to dial, open and join: the end waits, so that nothing they make stays behind
  bool saving_ = false;
  bool keeping_turns_ = false;  // a transaction with turns is under way: one at a time
  bool awaits_leg_ = false;     // the end waits for the leg's, which names the trunk
  bool leg_over_ = false;
  bool session_over_ = false;
  std::string farewell_outcome_;  // not empty: the AI says goodbye
  std::optional<Ending> ending_;
  // state, on the main strand
  std::vector<Function<void()>> waiting_;  // for the end, from cancel()
};

}  // namespace patchbay::ai_voice
