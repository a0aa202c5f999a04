// The interface of a voice engine in plain C++: it hears 16 kHz caller audio and answers with audio, text,
// tool calls and usage. EngineHost (engine_host.h) binds it to the host.
#pragma once

#include <patchbay/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine_stats.h"
#include "engine/voices.h"

namespace patchbay::lib {

// A function the model may call. All parameters are strings.
struct Tool {
  struct Parameter {
    std::string name;
    std::string description;
    bool required = false;
  };
  std::string name;
  std::string description;
  std::vector<Parameter> parameters;
};

struct SessionConfig {
  std::string model;
  std::string voice{kDefaultVoice};
  std::string language = "en-US";
  std::string system_prompt;
  std::string greeting;  // what to say first; empty: the engine's own way
  std::string api_key;   // secret: never in any text that leaves the session
  std::vector<Tool> tools;
};

// Tokens since the last report.
struct Usage {
  int64_t prompt_tokens = 0;
  int64_t response_tokens = 0;
  int64_t total_tokens = 0;  // as the vendor counts it
  int64_t thought_tokens = 0;
  int64_t cached_tokens = 0;
  bool estimated = false;  // counted by us
};

// How much of the AI's current turn came and how much of it the caller really heard.
struct Heard {
  int64_t received_ms = 0;
  int64_t played_ms = 0;
};

struct SessionClose {
  int code = 1000;         // WebSocket close code, or an HTTP status of a refused connection
  std::string reason;      // one printable line, without secrets
  bool retryable = false;  // another attempt, later, may succeed
  bool by_us = false;      // close() was called
  int64_t dropped_ms = 0;  // caller audio that the engine never got
};

// Called on the engine's thread, one call at a time. Methods must return soon and may call the session, and
// destroy it.
class SessionListener {
 public:
  virtual ~SessionListener() = default;
  virtual void on_ready(
      const std::string& note) = 0;  // once; the note says what this engine cannot do, or ""
  virtual void on_user_text(std::string_view fragment) = 0;
  virtual void on_ai_text(std::string_view fragment) = 0;
  virtual void on_ai_audio() = 0;  // the first audio of a turn has come
  virtual void on_interrupted(const Heard& heard) = 0;
  virtual void on_turn_complete(bool had_audio) = 0;  // all of it is here, playing may go on
  virtual void on_tool_call(const std::string& id, const std::string& name, const std::string& args_json) = 0;
  virtual void on_tool_cancel(const std::string& id) = 0;  // no result is wanted any more
  virtual void on_usage(const Usage& delta) = 0;
  virtual void on_going_away(int time_left_ms) = 0;  // only to know: the session rotates by itself
  virtual void on_farewell_done() = 0;               // once after farewell(): hang up now
  // The engine's connection was lost; the session tries again by itself. `why` as in SessionClose.
  virtual void on_connection_lost(const std::string& why) { (void)why; }
  virtual void on_closed(const SessionClose& close) = 0;  // once, last
};

// One conversation. Made unanswered: it connects at once, hears and says nothing until begin().
class Session {
 public:
  virtual ~Session() = default;  // [any but media] afterwards the listener is not called any more
  // [any but media] The listener is not called any more. False: a call of it has not returned within 2 s;
  // then neither the session nor the listener may be destroyed.
  virtual bool detach() = 0;

  virtual int output_rate_hz() const = 0;  // constant

  // The call was answered: caller audio counts from here, and the greeting starts as soon as the engine is
  // ready.
  virtual void begin() = 0;  // [any]

  // [media, wait-free] 16 kHz mono, usually 320 samples; send silence too. What the engine cannot take within
  // about a second is dropped, the oldest first, and counted.
  virtual void push_audio(const int16_t* samples, size_t count) noexcept = 0;
  // [media, wait-free] Always fills `out` at output_rate_hz(); returns how many samples are the engine's.
  virtual size_t pull_audio(int16_t* out, size_t count) noexcept = 0;

  // [any] `trigger`: answer it now; otherwise it is only context. Dropped while the engine is not connected.
  virtual void push_text(std::string text, bool trigger) = 0;
  virtual void tool_result(std::string id, std::string json_object) = 0;  // [any]
  // [any] Let the model say goodbye; on_farewell_done when that was heard, at the latest after some 15 s.
  virtual void farewell() = 0;
  virtual void close() = 0;  // [any]
};

// Makes sessions; one object serves all calls.
class Engine {
 public:
  virtual ~Engine() = default;  // after all its sessions, and before its io thread; not on that thread
  virtual const char* name() const = 0;
  virtual bool matches(std::string_view model) const = 0;
  // [any] The listener outlives the session. Fails at once only for what needs no network.
  virtual Result<std::unique_ptr<Session>> open(SessionConfig config, SessionListener& listener) = 0;

  const EngineStats& stats() const noexcept { return *stats_; }

 protected:
  // Shared with the conversations, the last work of which may come after the engine.
  const std::shared_ptr<EngineStats> stats_ = std::make_shared<EngineStats>();
};

}  // namespace patchbay::lib
