// One call with Gemini: its successive connections, and what is said over them. Everything runs on the io
// thread except where noted.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client_message.h"
#include "conversation_history.h"
#include "echo_filter.h"
#include "engine/caller_audio.h"
#include "engine/engine.h"
#include "engine/farewell.h"
#include "model_audio.h"
#include "model_family.h"
#include "options.h"
#include "playout/playout.h"
#include "reconnect_policy.h"
#include "server_message_reader.h"
#include "silence_watchdog.h"
#include "tool_calls.h"
#include "unsent_audio.h"
#include "usage_meter.h"
#include "websocket/callback_gate.h"
#include "websocket/client.h"
#include "websocket/io_thread.h"

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
  size_t pull_first_audio(int16_t* out, size_t count) noexcept;    // [media]

  void start();
  void begin();
  void push_text(const std::string& text, bool trigger);
  void tool_result(const std::string& id, const std::string& json_object);
  void farewell();
  void close();
  void cancel();  // closes without a report

 private:
  enum class State { idle, connecting, ready, replacing, closed };

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
  void replace_when_due();
  void tick();
  void arm_tick();
  void check_silence();
  void poll_farewell();
  void close_with(lib::SessionClose close);
  bool send(std::string_view message);
  void read_caller_audio();
  void send_audio();
  void send_next_audio();
  void greet();
  void nudge(const char* text);
  static int64_t now_ms() { return lib::steady_ms(); }
  std::string redact(const std::string& text) const;

  // gemini_conversation_messages.cpp: the server's messages
  void receive(std::string_view bytes);
  void handle_audio(const ServerMessage& message);
  void count_dropped_reply();
  void handle_texts(const ServerMessage& message);
  void handle_calls(const ServerMessage& message);
  void handle_interruption();
  void end_turn();
  void report_usage();

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
  UnsentAudio unsent_;
  ServerMessageReader reader_;
  ModelAudio model_audio_{kOutputRateHz};
  ToolCalls tools_;
  ConversationHistory history_;
  EchoFilter echo_filter_;
  UsageMeter usage_;
  SilenceWatchdog watchdog_;
  ReconnectPolicy reconnect_;
  lib::Farewell farewell_;
  // state of the connection
  State state_ = State::idle;
  ReconnectStep next_{ReconnectStep::Kind::fresh, 0, false, false};
  int64_t connect_at_ms_ = -1;
  int64_t setup_deadline_ms_ = 0;
  std::string handle_;
  bool handle_stale_ = false;  // a tool was called after the server sent handle_
  bool announced_ = false;
  int unreadable_ = 0;            // messages in a row
  std::vector<int16_t> samples_;  // of the next message
  std::string audio_text_;
  // state of the conversation
  bool begun_ = false;
  bool greeted_ = false;
  bool ever_audio_ = false;
  bool turn_open_ = false;
  bool turn_audio_ = false;
  bool first_turn_ = true;
  int64_t reply_dropped_ms_ = 0;  // counted
  int64_t discard_until_ms_ = 0;  // late audio of an interrupted turn
};

}  // namespace patchbay::engine_gemini
