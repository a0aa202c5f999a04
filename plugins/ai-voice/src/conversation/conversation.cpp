#include "conversation/conversation.h"

#include <algorithm>
#include <utility>

#include "conversation/limits.h"

namespace patchbay::ai_voice {

Conversation::Conversation(const Host& host, StrandId strand, const ConversationInit& init, Owner& owner)
    : host_(host),
      owner_(owner),
      strand_(strand),
      init_(init),
      log_(Log(host).with(init.call_id)),
      leg_listener_(host, strand),
      engine_listener_(host, strand),
      audio_(host, strand),
      limit_(host, strand),
      warning_(host, strand),
      farewell_limit_(host, strand),
      dtmf_(host, strand) {
  dtmf_.on_keys([this](const std::string& keys) {
    if (!has_room(keys.size())) return fail("too many keys were pressed");
    transcript_.dtmf(host_.wall_ms(), keys);
    owner_.on_turns();
    session_.send(engine::Session::push_text, {"The caller pressed the keys " + keys + ".", true});
  });
  listen_to_leg();
  listen_to_engine();
  audio_.on_change([this](bool up) { on_audio_plugin(up); });
}

void Conversation::listen_to_leg() {
  using telephony::LegListener;
  leg_listener_
      .on(LegListener::progress,
          [this](const telephony::Progress& progress) -> Result<Empty> {
            owner_.on_ringing(progress);
            return Empty{};
          })
      .on(LegListener::answered,
          [this](const telephony::Answered& answered) -> Result<Empty> {
            if (!closed_) owner_.on_answered(answered);  // otherwise a hangup has been sent
            return Empty{};
          })
      .on(LegListener::digit,
          [this](const telephony::Digit& digit) -> Result<Empty> {
            if (handed_over_) owner_.on_digit_after_transfer(digit.digit);
            if (!closed_ && !handed_over_) dtmf_.key(digit.digit);
            return Empty{};
          })
      .on(LegListener::ended, [this](const telephony::Ended& ended) -> Result<Empty> {
        leg_ended_ = true;
        owner_.on_leg_ended(ended);
        return Empty{};
      });
}

void Conversation::listen_to_engine() {
  using engine::Listener;
  const auto done = [this](auto f) {
    return [this, f = std::move(f)](auto message) -> Result<Empty> {
      f(message);
      owner_.on_turns();
      return Empty{};
    };
  };
  engine_listener_
      .on(Listener::ready, done([this](const engine::Ready& ready) {
            engine_ready_ = true;
            log_.info("the engine is ready", {{"note", redact(ready.note)}});
            if (!closed_) owner_.on_engine_ready();
            begin_when_ready();
          }))
      .on(Listener::user_words, done([this](const engine::Words& words) {
            if (!within_text_limit(words.text)) return;
            const std::string text = user_fragments_.take(words.text);
            if (init_.log_conversation) log_.debug("heard", {{"text", text}});
            transcript_.user_text(words.ts_ms, text);
          }))
      .on(Listener::ai_words, done([this](const engine::Words& words) {
            if (!within_text_limit(words.text)) return;
            const std::string text = ai_fragments_.take(words.text);
            if (init_.log_conversation) log_.debug("said", {{"text", text}});
            transcript_.ai_text(words.ts_ms, text);
          }))
      .on(Listener::ai_audio, done([this](const Empty&) { on_ai_audio(); }))
      .on(Listener::interrupted, done([this](const engine::Interrupted& cut) {
            transcript_.interrupted(host_.wall_ms(), cut.received_ms, cut.played_ms);
          }))
      .on(Listener::turn_complete,
          done([this](const engine::TurnComplete&) { transcript_.turn_complete(host_.wall_ms()); }))
      .on(Listener::tool_call, done([this](const engine::ToolCall& tool) { on_tool(tool); }))
      .on(Listener::tool_cancel, done([](const engine::ToolCall&) {}))
      .on(Listener::usage, done([this](const engine::Usage& more) { add_usage(usage_, more); }))
      .on(Listener::farewell_done, done([this](const Empty&) {
            if (!handed_over_ && !farewell_outcome_.empty()) complete(farewell_outcome_);
          }))
      .on(Listener::closed, done([this](const engine::Closed& closed) { on_closed(closed); }));
}

void Conversation::on_audio_plugin(bool up) {
  if (up || closed_ || !bridging_) return;
  bridge_ = 0;
  fail("the media plugin has stopped");
}

void Conversation::open_engine() {
  engine_ = Lease<engine::Engine>::open(host_, init_.engine, strand_);
  engine::Open open;
  open.call_id = init_.call_id;
  open.tenant = init_.tenant;
  open.model = init_.model;
  open.voice = init_.voice;
  open.language = init_.language;
  open.system_prompt = init_.system_prompt;
  open.api_key = init_.api_key;
  open.greeting = init_.greeting;
  open.tools = call_tools(init_.direction, init_.transfer_targets);
  open.listener = engine_listener_.handle();
  open.correlation = init_.call_id;
  ++pending_replies_;
  engine_.call(engine::Engine::open, open,
               [this](const Result<engine::Opened>& opened) { on_opened(opened); });
}

void Conversation::on_opened(const Result<engine::Opened>& opened) {
  --pending_replies_;
  if (!opened) {
    fail("the AI engine cannot be used: " + opened.error().text);
    return;
  }
  session_ = Lease<engine::Session>::open(host_, opened->session, strand_);
  session_watch_ = EndWatch(
      host_, opened->session,
      [this] {
        if (!std::exchange(session_closed_, true) && !handed_over_)
          fail("the plugin of the AI engine has stopped");
      },
      strand_);
  engine_port_ = opened->port;
  if (closed_) {
    session_.send(engine::Session::close, {});
    return owner_.on_drained();
  }
  bridge_when_connected();
  begin_when_ready();
}

void Conversation::set_leg(Handle leg) {
  leg_ = Lease<telephony::Leg>::open(host_, leg, strand_);
  leg_watch_ = EndWatch(
      host_, leg,
      [this] {
        if (!std::exchange(leg_ended_, true)) fail("the telephony plugin has stopped");
      },
      strand_);
}

void Conversation::answered(Handle port) {
  leg_port_ = port;
  answered_ns_ = host_.mono_ns();
  if (!port) return fail("the answer carried no usable media");
  bridge_when_connected();
  arm_limits();
}

void Conversation::arm_limits() {
  const int64_t limit_ms = init_.max_seconds * 1000;
  limit_.after_ms(limit_ms, [this] { complete("max-duration"); });
  if (limit_ms < 2 * kWarnBeforeMs) return;
  warning_.after_ms(limit_ms - kWarnBeforeMs, [this] {
    session_.send(engine::Session::push_text,
                  {"The call ends in 30 seconds. Come to a close and say goodbye in time.", false});
  });
}

void Conversation::bridge_when_connected() {
  if (bridging_ || !leg_port_ || !engine_port_) return;
  bridging_ = true;
  ++pending_replies_;
  audio_.call(audio::Audio::join, {leg_port_, engine_port_, init_.call_id},
              [this](const Result<audio::Joined>& joined) {
                --pending_replies_;
                if (!joined) return fail("the audio could not be connected: " + joined.error().text);
                bridge_ = joined->join;
                if (closed_) owner_.on_drained();
              });
}

void Conversation::allow_begin() {
  begin_allowed_ = true;
  begin_when_ready();
}

void Conversation::begin_when_ready() {
  if (begun_ || closed_ || !engine_ready_ || !begin_allowed_ || !session_) return;
  begun_ = true;
  session_.send(engine::Session::begin, {});
  owner_.on_started();
}

void Conversation::on_ai_audio() {
  if (!within_text_limit({})) return;
  transcript_.ai_audio(host_.wall_ms());
  if (first_audio_ms_ >= 0 || answered_ns_ == 0) return;
  first_audio_ms_ = (host_.mono_ns() - answered_ns_) / 1'000'000;
  owner_.on_first_audio(first_audio_ms_);
}

// Limits the memory of the transcript, also after the end. A turn counts even without text.
bool Conversation::has_room(size_t bytes) const { return transcript_.bytes() + bytes <= kMaxTextBytes; }

bool Conversation::within_text_limit(std::string_view text) {
  if (has_room(text.size())) return true;
  if (!closed_) fail("the AI engine sent more than 1 MiB of text");
  return false;
}

void Conversation::on_tool(const engine::ToolCall& tool) {
  if (handed_over_) return;  // it leaves
  transcript_.tool_call(host_.wall_ms());
  log_.info("the AI calls a tool", {{"tool", lib::valid_text(tool.name)}});
  if (tool.name == kTransferTool && !init_.transfer_targets.empty())
    return session_.send(engine::Session::tool_result, {tool.call, transfer(tool)});
  const ToolAnswer answer = answer_tool(init_.direction, tool.name);
  if (!answer.outcome.empty() && owner_.is_transferring())
    return session_.send(engine::Session::tool_result, {tool.call, not_while_it_rings()});
  session_.send(engine::Session::tool_result, {tool.call, answer.result});
  if (answer.hang_up_now) return complete(answer.outcome);
  if (answer.outcome.empty() || !farewell_outcome_.empty()) return;
  farewell_outcome_ = answer.outcome;
  session_.send(engine::Session::farewell, {});
  farewell_limit_.after_ms(kMaxFarewellMs, [this] {
    log_.warn("the engine does not end its goodbye, so the call is ended");
    complete(farewell_outcome_);
  });
}

std::string Conversation::transfer(const engine::ToolCall& tool) {
  const auto arguments = host_.parse_json(tool.arguments);
  const std::string target(arguments ? arguments->root().text("target", "") : "");
  const auto& targets = init_.transfer_targets;
  if (closed_ || std::find(targets.begin(), targets.end(), target) == targets.end())
    return transfer_refused("it is none of the targets");
  const std::string refused = owner_.on_transfer(target);
  return refused.empty() ? transfer_rings() : transfer_refused(refused);
}

void Conversation::hand_over(Handle port) {
  release_leg([this, port] {
    bridging_ = false;
    engine_port_ = port;
    bridge_when_connected();
  });
}

void Conversation::release_leg(Function<void()> then) {
  if (closed_ || std::exchange(handed_over_, true)) return;
  warning_.cancel();
  farewell_limit_.cancel();
  farewell_outcome_.clear();
  dtmf_.finish();
  transcript_.close_turns(host_.wall_ms());
  ++pending_replies_;
  close_bridge([this, then = std::move(then)] {
    --pending_replies_;
    bridge_ = 0;
    if (!std::exchange(session_closed_, true)) session_.send(engine::Session::close, {});
    if (closed_) return owner_.on_drained();
    then();
  });
  owner_.on_turns();
}

void Conversation::on_closed(const engine::Closed& closed) {
  session_closed_ = true;
  if (closed_ || handed_over_) return;
  const std::string reason =
      closed.reason.empty() ? "the AI engine closed the session without a reason" : redact(closed.reason);
  log_.warn("the engine closed the session", {{"why", reason}});
  if (!farewell_outcome_.empty()) return complete(farewell_outcome_);
  fail(reason);
}

void Conversation::complete(std::string_view outcome) {
  if (closed_) return owner_.on_drained();
  owner_.on_completed(outcome);
}

void Conversation::fail(std::string reason) {
  if (closed_) return owner_.on_drained();
  owner_.on_failed(redact(reason));
}

bool Conversation::close(const std::string& reason, int64_t now_ms) {
  closed_ = true;
  limit_.cancel();
  warning_.cancel();
  farewell_limit_.cancel();
  transcript_.close_turns(now_ms);
  const bool hung_up = hang_up_leg(reason);
  if (!session_closed_) session_.send(engine::Session::close, {});
  return hung_up;
}

bool Conversation::hang_up_leg(const std::string& reason) {
  if (leg_ended_ || !leg_) return false;
  leg_.send(telephony::Leg::hangup, {reason});
  return true;
}

void Conversation::close_bridge(Function<void()> then) {
  if (bridge_ == 0) return then();
  audio_.call(audio::Audio::leave, {bridge_}, [then = std::move(then)](const Result<Empty>&) { then(); });
}

std::string Conversation::redact(std::string_view text) const {
  return lib::redact_secret(lib::valid_text(text), init_.api_key);
}

}  // namespace patchbay::ai_voice
