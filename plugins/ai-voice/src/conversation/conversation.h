// Conversation: what is said on one call: its leg and an engine's session, the bridge between their audio,
// the transcript, the limits and the tools. It neither dials, answers nor stores; its owner (OutboundAttempt,
// InboundConversation) does.
//
// The owner calls, in this order:
//   open_engine(); set_leg(); answered(); allow_begin(); close(); close_bridge()
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
#include <vector>

#include "conversation/dtmf_collector.h"
#include "conversation/tools.h"
#include "conversation/transcript_builder.h"
#include "text/safe_text.h"

namespace patchbay::ai_voice {

struct ConversationInit {
  std::string call_id;  // also the correlation id of log lines and events
  std::string tenant;
  std::string model;
  std::string voice;
  std::string language;
  std::string system_prompt;
  std::string api_key;  // in plain text
  std::string greeting;
  Handle engine;  // instance of engine::Engine
  Direction direction = Direction::outbound;
  std::vector<std::string> transfer_targets{};
  int64_t max_seconds = 0;        // counted from the answer
  bool log_conversation = false;  // whether what is said may be logged
};

// Use and destroy it on its strand.
class Conversation {
 public:
  // Called on the strand. After close() it calls only on_ringing(), on_leg_ended(), on_turns() and
  // on_drained().
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void on_ringing(const telephony::Progress& progress) = 0;
    virtual void on_answered(const telephony::Answered& answered) = 0;
    virtual void on_leg_ended(const telephony::Ended& ended) = 0;
    // The engine is ready to talk; at once after open_engine() at the earliest.
    virtual void on_engine_ready() {}
    // The engine begins to talk.
    virtual void on_started() = 0;
    virtual void on_first_audio(int64_t ms_after_answer) = 0;
    // The transcript changed.
    virtual void on_turns() = 0;
    // The model wants to transfer the caller to one of the targets. Returns why that is not possible; "": it
    // rings there.
    virtual std::string on_transfer(const std::string&) { return "nothing can be reached"; }
    // Whether a target rings.
    virtual bool is_transferring() const { return false; }
    // The caller pressed a key after hand_over().
    virtual void on_digit_after_transfer(const std::string&) {}
    // A tool or the time limit ended the conversation.
    virtual void on_completed(std::string_view outcome) = 0;
    // The conversation cannot continue. `reason`: a sentence without the API key.
    virtual void on_failed(std::string reason) = 0;
    // After close(): a pending request was answered; drained() may be true now.
    virtual void on_drained() = 0;
  };

  Conversation(const Host& host, StrandId strand, const ConversationInit& init, Owner& owner);

  // The instance that receives the leg's reports, for the request that dials or accepts the leg.
  Handle leg_listener() { return leg_listener_.handle(); }
  void open_engine();
  // `leg`: the new leg. If close() came first, the owner must call hang_up_leg().
  void set_leg(Handle leg);
  // Call it when dialling failed: there is no leg to hang up.
  void set_no_leg() { leg_ended_ = true; }
  // `port`: the leg's audio. Starts the time limit.
  void answered(Handle port);
  // Call it when the answer is stored: the AI begins as soon as the engine is ready.
  void allow_begin();

  // Tells the model something, and whether it is to say something then.
  void tell(const std::string& text) { session_.send(engine::Session::push_text, {text, true}); }
  // Ends the engine's part: closes the session, and joins the leg with another leg's port. The limits stay.
  void hand_over(Handle port);
  // Ends the engine's part, then calls `then`, unless close() comes before: the leg's audio is free.
  void release_leg(Function<void()> then);

  // Hangs up, closes the session, completes the transcript. Returns whether it sent a hangup to the leg.
  bool close(const std::string& reason, int64_t now_ms);
  bool hang_up_leg(const std::string& reason);
  bool leg_ended() const noexcept { return leg_ended_; }
  // True if no request is pending.
  bool drained() const noexcept { return pending_replies_ == 0; }
  // Call it once drained() is true. Closes the audio bridge, then calls `then`.
  void close_bridge(Function<void()> then);

  TranscriptBuilder& transcript() noexcept { return transcript_; }
  const engine::Usage& usage() const noexcept { return usage_; }
  // Time from the answer to the engine's first audio; -1: no audio yet.
  int64_t first_audio_ms() const noexcept { return first_audio_ms_; }
  // The outcome of the tool that made the AI say goodbye; "": none.
  const std::string& farewell_outcome() const noexcept { return farewell_outcome_; }
  // Makes text of an engine or a trunk valid UTF-8 and removes the API key.
  std::string redact(std::string_view text) const;

 private:
  void listen_to_leg();
  void listen_to_engine();
  void on_audio_plugin(bool up);
  void on_opened(const Result<engine::Opened>& opened);
  void on_ai_audio();
  void on_tool(const engine::ToolCall& tool);
  std::string transfer(const engine::ToolCall& tool);
  void on_closed(const engine::Closed& closed);
  bool has_room(size_t bytes) const;
  // Ends the call if not.
  bool within_text_limit(std::string_view text);
  void arm_limits();
  void bridge_when_connected();
  void begin_when_ready();
  void complete(std::string_view outcome);
  void fail(std::string reason);

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
  Timer farewell_limit_;
  DtmfCollector dtmf_;
  // Detect a crash of their plugins, which then report no end.
  EndWatch leg_watch_;
  EndWatch session_watch_;
  // state
  TranscriptBuilder transcript_;
  lib::TextFragments user_fragments_, ai_fragments_;  // rejoin UTF-8 characters that engines split
  engine::Usage usage_;
  Handle engine_port_;
  Handle leg_port_;
  int64_t answered_ns_ = 0;
  int64_t first_audio_ms_ = -1;
  int64_t bridge_ = 0;
  int pending_replies_ = 0;  // of open and join; the end waits for them, so that nothing they create leaks
  bool engine_ready_ = false;
  bool begin_allowed_ = false;
  bool begun_ = false;
  bool bridging_ = false;
  bool closed_ = false;
  bool handed_over_ = false;
  bool leg_ended_ = false;
  bool session_closed_ = false;
  std::string farewell_outcome_;
};

}  // namespace patchbay::ai_voice
