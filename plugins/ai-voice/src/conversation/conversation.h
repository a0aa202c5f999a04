// Conversation: what is said on one call: its leg and an engine's session, their audio joined, the
// transcript, the limits and the tools. It neither dials nor stores; its owner does (OutboundAttempt).
//
// Its owner opens the engine, gives it the leg and the answer, allows the beginning, and ends it:
//   open_engine(); set_leg(); answered(); allow_begin(); end(); release()
#pragma once

#include <patchbay/end_watch.h>
#include <patchbay/log.h>
#include <patchbay/services/audio.h>
#include <patchbay/services/engine.h>
#include <patchbay/services/telephony.h>
#include <patchbay/strand.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "conversation/dtmf_collector.h"
#include "conversation/transcript_builder.h"
#include "text/safe_text.h"

namespace patchbay::ai_voice {

struct ConversationInit {
  std::string call_id;  // also the correlation id
  std::string tenant;
  std::string model;
  std::string voice;
  std::string language;
  std::string system_prompt;
  std::string api_key;  // in clear
  std::string greeting;
  Handle engine;                  // instance of engine::Engine
  int64_t max_seconds = 0;        // from the answer on
  bool log_conversation = false;  // whether what is said may be logged
};

// Use and destroy it on its strand.
class Conversation {
 public:
  // Called on the strand. After end() there is no on_answered(), on_started(), on_talked() or on_failed().
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void on_ringing(const telephony::Progress& progress) = 0;
    virtual void on_answered(const telephony::Answered& answered) = 0;
    virtual void on_leg_ended(const telephony::Ended& ended) = 0;
    // The engine begins.
    virtual void on_started() = 0;
    virtual void on_first_audio(int64_t ms_after_answer) = 0;
    // The transcript has changed.
    virtual void on_turns() = 0;
    // A tool or the limit ends it.
    virtual void on_talked(std::string_view outcome) = 0;
    // It cannot go on: a sentence without the API key.
    virtual void on_failed(std::string why) = 0;
    // After end(): something that was under way has finished; settled() may be true now.
    virtual void on_settled() = 0;
  };

  Conversation(const Host& host, StrandId strand, const ConversationInit& init, Owner& owner);

  // The instance that hears the leg, for whoever dials or accepts it.
  Handle leg_listener() { return leg_listener_.handle(); }
  void open_engine();
  // The leg exists. After end() the owner hangs it up with hang_up_leg().
  void set_leg(Handle leg);
  // There will be no leg: nothing is left to hang up.
  void no_leg() { leg_over_ = true; }
  // `port`: the leg's audio. Limits count from now on.
  void answered(Handle port);
  // The owner has stored the answer: the engine may begin as soon as it is ready.
  void allow_begin();

  // Hangs up, closes the session, completes the transcript. True: the leg was told to hang up.
  bool end(const std::string& reason, int64_t now_ms);
  bool hang_up_leg(const std::string& reason);
  bool leg_over() const noexcept { return leg_over_; }
  // Nothing that the conversation asked for is under way.
  bool settled() const noexcept { return replies_due_ == 0; }
  // After settled(): ends the join, then calls `then`.
  void release(Function<void()> then);

  TranscriptBuilder& transcript() noexcept { return transcript_; }
  const engine::Usage& usage() const noexcept { return usage_; }
  // From the answer to the engine's first audio; -1: none came.
  int64_t first_audio_ms() const noexcept { return first_audio_ms_; }
  // The outcome of the tool after which the AI says goodbye; "": none.
  const std::string& farewell_outcome() const noexcept { return farewell_outcome_; }
  // Text that an engine or a trunk wrote, valid and without the API key.
  std::string without_key(std::string_view text) const;

 private:
  void listen_to_leg();
  void listen_to_engine();
  void on_audio_plugin(bool up);
  void on_opened(const Result<engine::Opened>& opened);
  void on_ai_audio();
  void on_tool(const engine::ToolCall& tool);
  void on_closed(const engine::Closed& closed);
  bool admits(const engine::Words& words);
  void arm_limits();
  void join_when_both();
  void begin_when_ready();
  void talked(std::string_view outcome);
  void failed(std::string why);

  // borrowed
  const Host& host_;
  Owner& owner_;
  // owned
  const StrandId strand_;
  const ConversationInit init_;
  const Log log_;
  Provision<telephony::LegListener> leg_listener_;
  Provision<engine::Listener> engine_listener_;
  Lease<telephony::Leg> leg_;
  Lease<engine::Engine> engine_;
  Lease<engine::Session> session_;
  Service<audio::Audio> audio_;
  Timer limit_;
  Timer warning_;
  Dtmf dtmf_;
  // The plugins behind them may crash, and then report no end.
  EndWatch leg_gone_;
  EndWatch session_gone_;
  // state
  TranscriptBuilder transcript_;
  lib::TextFragments user_fragments_, ai_fragments_;  // engines of any plugin may cut a character in two
  engine::Usage usage_;
  Handle engine_port_;
  Handle leg_port_;
  int64_t answered_ns_ = 0;
  int64_t first_audio_ms_ = -1;
  int64_t join_ = 0;
  int replies_due_ = 0;  // to open and join: the end waits, so that nothing they make stays behind
  bool engine_ready_ = false;
  bool may_begin_ = false;
  bool begun_ = false;
  bool joining_ = false;
  bool ended_ = false;
  bool leg_over_ = false;
  bool session_over_ = false;
  std::string farewell_outcome_;
};

}  // namespace patchbay::ai_voice
