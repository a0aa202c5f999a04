// One call with Gemini: its successive connections, and what is said over them. Everything runs on the io
// thread except where noted.
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

class GeminiConversation : public std::enable_shared_from_this<GeminiConversation> {
 public:
  static constexpr int kOutputRateHz = 24000;

  static std::shared_ptr<GeminiConversation> create(lib::IoThread& io, const Options& options,
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
  void cancel();  // closes without a report

 private:
  enum class State { idle, connecting, ready, replacing, closed };
  struct OpenCall {
    std::string name;
    std::string wire_id;  // the server's id; may be empty
  };

  GeminiConversation(lib::IoThread& io, const Options& options, std::shared_ptr<lib::EngineStats> stats,
                     lib::SessionConfig config, lib::SessionListener& listener);

  // gemini_conversation.cpp: the connection and what is sent
  void connect();
  void on_connected();
  void on_disconnected(const lib::WebSocketClose& close);
  void retry_or_fail(const Disconnect& disconnect, const std::string& reason);
  void start_fresh(const std::string& reason);
  void on_setup_complete();
  void on_going_away(int time_left_ms);
  void replace_when_silent();
  void tick();
  void arm_tick();
  void check_silence();
  void poll_farewell();
  void close_with(lib::SessionClose close);
  bool send(std::string message);
  void read_caller_audio();
  void send_audio();
  void drop_oldest();
  void clear_unsent();
  void count_dropped(int64_t ms);
  void send_frame(const lib::CallerAudio::Frame& frame);
  void greet();
  void nudge(const char* text);
  int64_t now_ms() const;
  std::string redacted(const std::string& text) const;

  // gemini_conversation_messages.cpp: the server's messages
  void receive(std::string_view bytes);
  void handle_audio(ServerMessage& message);
  void handle_texts(const ServerMessage& message);
  void handle_calls(const ServerMessage& message);
  void handle_interruption();
  void end_turn();
  void report_usage();
  bool is_replay_or_echo(const std::string& text);
  void append_history(const char* speaker, const std::string& text);

  // borrowed
  lib::IoThread& io_;
  lib::SessionListener& listener_;
  // owned
  const Options options_;
  const std::shared_ptr<lib::EngineStats> stats_;  // shared with the engine and its other conversations
  const lib::SessionConfig config_;
  const ModelFamily& family_;
  lib::CallbackGate gate_;
  lib::CallerAudio caller_;
  lib::Playout playout_;
  std::unique_ptr<lib::IoSignal> audio_signal_;
  std::unique_ptr<lib::IoTimer> timer_;
  std::unique_ptr<lib::WebSocketClient> socket_;
  UsageMeter usage_;
  SilenceWatchdog watchdog_;
  ReconnectPolicy reconnect_;
  lib::Farewell farewell_;
  // state of the connection
  State state_ = State::idle;
  ReconnectStep next_{ReconnectStep::Kind::fresh, 0, false, false};
  int64_t connect_at_ms_ = -1;
  int64_t setup_deadline_ms_ = 0;
  int64_t connected_ms_ = 0;
  int64_t replace_by_ms_ = -1;  // latest time to replace the connection; -1: no need to
  std::string handle_;
  bool handle_stale_ = false;  // a tool was called after the server sent handle_
  bool announced_ = false;
  bool going_away_ = false;                     // the server has announced the end of this connection
  int unreadable_ = 0;                          // messages in a row
  std::deque<lib::CallerAudio::Frame> unsent_;  // the oldest first
  int64_t dropped_ms_ = 0;
  std::string frame_text_;
  // state of the conversation
  bool begun_ = false;
  bool greeted_ = false;
  bool ever_audio_ = false;
  bool turn_open_ = false;
  bool turn_audio_ = false;
  bool first_turn_ = true;
  int64_t discard_until_ms_ = 0;  // late audio of an interrupted turn
  int64_t mute_replay_until_ms_ = 0;
  std::string odd_byte_;  // the first byte of a sample that continues in the next part
  std::map<std::string, OpenCall> open_calls_;
  std::set<std::string> known_calls_;
  int unnamed_calls_ = 0;
  int resampled_rate_hz_ = 0;                   // rate of the server's audio, where it is not kOutputRateHz
  Result<lib::Resampler> resampler_ = Error{};  // from that rate
  std::deque<std::pair<int64_t, std::string>> our_texts_;  // with the time until which they may be echoed
  std::string history_;
  const char* history_speaker_ = nullptr;
};

}  // namespace patchbay::engine_gemini
