// One call with Gemini: its connection, or the series of them, and what is said over it. Everything runs on
// the io thread except where noted.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "client_message.h"
#include "engine/caller_audio.h"
#include "engine/engine.h"
#include "model_family.h"
#include "options.h"
#include "playout/playout.h"
#include "resampler/resampler.h"
#include "server_message.h"
#include "usage_meter.h"
#include "websocket/callback_gate.h"
#include "websocket/client.h"

namespace patchbay::engine_gemini {

class Conversation : public std::enable_shared_from_this<Conversation> {
 public:
  static constexpr int kOutputRateHz = 24000;

  static std::shared_ptr<Conversation> create(lib::IoThread& io, const Options& options,
                                              std::shared_ptr<lib::EngineStats> stats,
                                              lib::SessionConfig config,
                                              lib::SessionListener& listener);  // [any]
  lib::CallbackGate& gate() { return gate_; }

  void push_audio(const int16_t* samples, size_t count) noexcept;  // [media]
  size_t pull_audio(int16_t* out, size_t count) noexcept;          // [media]

  void start();
  void begin();
  void push_text(const std::string& text, bool trigger);
  void tool_result(const std::string& id, const std::string& json_object);
  void farewell();
  void close();
  void abandon();  // the session is gone: let go of everything

 private:
  enum class State { idle, connecting, ready, rotating, closed };
  struct OpenCall {
    std::string name;
    std::string wire_id;  // empty where the server gave none
  };

  Conversation(lib::IoThread& io, const Options& options, std::shared_ptr<lib::EngineStats> stats,
               lib::SessionConfig config, lib::SessionListener& listener);

  // conversation.cpp: the connection.
  void connect();
  void connected();
  void disconnected(const lib::WebSocketClose& close);
  void retry_or_fail(const Drop& drop, const std::string& why);
  void start_fresh(const std::string& why);
  void ready();
  void going_away(int time_left_ms);
  void rotate_when_quiet();
  void tick();
  void arm_tick();
  void watch();
  void poll_farewell();
  void finish(lib::SessionClose close);
  bool send(std::string message);
  void fetch_audio();
  void send_waiting();
  void drop_oldest();
  void clear_waiting();
  void count_dropped(int64_t ms);
  void send_frame(const lib::CallerAudio::Frame& frame);
  void greet();
  void nudge(const char* text);
  int64_t now_ms() const;
  std::string redacted(const std::string& text) const;

  // messages.cpp: what the server says.
  void receive(std::string_view bytes);
  void take_audio(ServerMessage& message);
  void take_texts(const ServerMessage& message);
  void take_calls(const ServerMessage& message);
  void take_interruption();
  void end_turn();
  void report_usage();
  bool is_replay_or_echo(const std::string& text);
  void remember(const char* speaker, const std::string& text);

  // Borrowed.
  lib::IoThread& io_;
  lib::SessionListener& listener_;
  // Owned.
  const Options options_;
  const std::shared_ptr<lib::EngineStats> stats_;  // shared with the engine and its other conversations
  const lib::SessionConfig config_;
  const Family& family_;
  lib::CallbackGate gate_;
  lib::CallerAudio caller_;
  lib::Playout playout_;
  std::unique_ptr<lib::IoSignal> signal_;
  std::unique_ptr<lib::IoTimer> timer_;
  std::unique_ptr<lib::WebSocketClient> socket_;
  UsageMeter usage_;
  Watchdog watchdog_;
  Recovery recovery_;
  lib::Farewell farewell_;
  // State of the connection.
  State state_ = State::idle;
  Attempt next_{Attempt::Kind::fresh, 0, false, false};
  int64_t connect_at_ms_ = -1;
  int64_t setup_deadline_ms_ = 0;
  int64_t connected_ms_ = 0;
  int64_t rotate_by_ms_ = -1;  // >= 0: wanted, at the latest then
  std::string handle_;
  bool handle_stale_ = false;  // a tool was called since it came
  bool announced_ = false;
  int unreadable_ = 0;
  std::deque<lib::CallerAudio::Frame> waiting_;  // to be sent, the oldest first
  int64_t dropped_ms_ = 0;
  std::string frame_text_;
  // State of the conversation.
  bool begun_ = false;
  bool greeted_ = false;
  bool ever_audio_ = false;
  bool turn_open_ = false;
  bool turn_audio_ = false;
  bool first_turn_ = true;
  int64_t discard_until_ms_ = 0;  // late audio of an interrupted turn
  int64_t mute_replay_until_ms_ = 0;
  std::string odd_byte_;
  std::map<std::string, OpenCall> open_calls_;
  std::set<std::string> seen_calls_;
  int unnamed_calls_ = 0;
  int unusual_rate_hz_ = 0;                                // a rate the protocol does not promise...
  Result<lib::Resampler> resampler_ = Error{};             // ...and what brings it to ours
  std::deque<std::pair<int64_t, std::string>> our_texts_;  // and until when they may come back
  std::string history_;
  const char* history_speaker_ = nullptr;
};

}  // namespace patchbay::engine_gemini
