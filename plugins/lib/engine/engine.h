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
#include "websocket/io_thread.h"

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
  std::string greeting;  // what to say first; empty: the engine chooses
  std::string api_key;   // secret: the session removes it from every text it reports
  std::vector<Tool> tools;
};

// Tokens since the last report.
struct Usage {
  int64_t prompt_tokens = 0;
  int64_t response_tokens = 0;
  int64_t total_tokens = 0;  // as the vendor counts it
  int64_t thought_tokens = 0;
  int64_t cached_tokens = 0;
  bool estimated = false;  // by the plugin, because the engine reports none
};

// How much of the interrupted turn the engine had sent, and how much of it the caller heard.
struct Interruption {
  int64_t received_ms = 0;
  int64_t played_ms = 0;
};

struct SessionClose {
  int code = 1000;         // WebSocket close code, or the HTTP status of a refused connection
  std::string reason;      // one printable line, without secrets
  bool retryable = false;  // a later attempt may succeed
  bool by_us = false;      // by Session::close()
  int64_t dropped_ms = 0;  // caller audio that did not reach the engine
};

// Receives a session's reports, on the engine's thread, one at a time. Methods must return soon; they may
// call the session and destroy it.
class SessionListener {
 public:
  virtual ~SessionListener() = default;
  // Once. `note`: what this engine cannot do for the call, "" for no restriction.
  virtual void on_ready(const std::string& note) = 0;
  virtual void on_user_text(std::string_view fragment) = 0;
  virtual void on_ai_text(std::string_view fragment) = 0;
  virtual void on_ai_audio() = 0;        // the first audio of a turn has arrived
  virtual void on_answer_startable() {}  // pull_first_audio() may have the first samples of an answer
  virtual void on_interrupted(const Interruption& heard) = 0;
  virtual void on_turn_complete(bool had_audio) = 0;  // received in full; playout may continue
  virtual void on_tool_call(const std::string& id, const std::string& name, const std::string& args_json) = 0;
  virtual void on_tool_cancel(const std::string& id) = 0;  // the engine ignores the result from now on
  virtual void on_usage(const Usage& delta) = 0;
  // The server will close the connection; the session replaces it by itself.
  virtual void on_going_away(int time_left_ms) = 0;
  virtual void on_farewell_done() = 0;  // once after farewell(): hang up now
  // The connection was lost; the session reconnects by itself. `reason` as in SessionClose.
  virtual void on_connection_lost(const std::string& reason) { (void)reason; }
  virtual void on_closed(const SessionClose& close) = 0;  // once, the last report
};

// One conversation with the engine. Connects as soon as it is created; ignores audio and stays silent until
// begin().
class Session {
 public:
  virtual ~Session() = default;  // [any but media] afterwards the session does not call the listener
  // [any but media] Stops calling the listener. Returns false if a running call does not return within 2 s;
  // then neither the session nor the listener may be destroyed.
  virtual bool detach() = 0;

  virtual int output_rate_hz() const = 0;  // constant

  // [any] Call it when the callee answers: the session listens from now on, and greets as soon as the engine
  // is ready.
  virtual void begin() = 0;

  // [media, wait-free] 16 kHz mono, usually 320 samples; pass silence too. Audio that the engine does not
  // take within about a second is dropped, the oldest first, and counted.
  virtual void push_audio(const int16_t* samples, size_t count) noexcept = 0;
  // [media, wait-free] Fills all of `out` at output_rate_hz(), with silence where there is no engine audio.
  // Returns how many samples are engine audio.
  virtual size_t pull_audio(int16_t* out, size_t count) noexcept = 0;
  // [media, wait-free] The same, but returns 0 and takes nothing unless an answer begins with these samples.
  virtual size_t pull_first_audio(int16_t* out, size_t count) noexcept = 0;

  // [any] `trigger`: the model answers now; otherwise the text is context only. Dropped while the engine is
  // not connected.
  virtual void push_text(std::string text, bool trigger) = 0;
  virtual void tool_result(std::string id, std::string json_object) = 0;  // [any]
  // [any] Makes the model say goodbye; on_farewell_done() follows when the goodbye was played, after 15 s at
  // the latest.
  virtual void farewell() = 0;
  virtual void close() = 0;  // [any]
};

// Creates sessions; one engine serves all calls.
class Engine {
 public:
  // Destroy it after its sessions and before its io threads, from another thread.
  virtual ~Engine() = default;
  virtual const char* name() const = 0;
  virtual bool matches(std::string_view model) const = 0;
  // [any] The session runs on `io` and calls its listener there. The listener must outlive the session. Fails
  // only for errors found without the network; later ones are reported by on_closed().
  virtual Result<std::unique_ptr<Session>> open(IoThread& io, SessionConfig config,
                                                SessionListener& listener) = 0;

  const EngineStats& stats() const noexcept { return *stats_; }

 protected:
  // Shared with the conversations, whose last tasks may run after the engine is destroyed.
  const std::shared_ptr<EngineStats> stats_ = std::make_shared<EngineStats>();
};

}  // namespace patchbay::lib
