// One call with the local engine. Everything runs on the io thread except where noted.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "barge_in.h"
#include "engine/caller_audio.h"
#include "local_engine.h"
#include "playout/playout.h"
#include "spoken_replies.h"
#include "websocket/callback_gate.h"
#include "websocket/io_thread.h"

namespace patchbay::engine_local {

class LocalConversation : public std::enable_shared_from_this<LocalConversation> {
 public:
  static constexpr int kOutputRateHz = Synthesiser::kRateHz;

  static std::shared_ptr<LocalConversation> create(lib::IoThread& io, Recogniser& recogniser,
                                                   Synthesiser& synthesiser, const Options& options,
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
  void close() { close_with({1000, "", false, true}); }
  void cancel();  // closes without a report

 private:
  LocalConversation(lib::IoThread& io, Recogniser& recogniser, Synthesiser& synthesiser,
                    const Options& options, std::shared_ptr<lib::EngineStats> stats,
                    lib::SessionConfig config, lib::SessionListener& listener);

  void on_models_loaded(const Status& status);
  void read_caller_audio();
  void process_frame(const lib::CallerAudio::Frame& frame);
  void on_recognised(const Recognition& result);
  void interrupt();
  void perform(const SpokenReply& reply);
  void say(const std::string& text);
  void on_synthesised(unsigned turn, const std::string& sentence, const std::vector<int16_t>& samples,
                      bool last);
  void end_turn();
  void tick();
  void close_with(lib::SessionClose close);
  static int64_t now_ms() { return lib::steady_ms(); }
  template <class F>
  auto from_worker(F f);  // wraps f(*this, …) to run on the io thread, or not at all once closed or destroyed

  // borrowed
  lib::IoThread& io_;
  Recogniser& recogniser_;
  Synthesiser& synthesiser_;
  lib::SessionListener& listener_;
  // owned
  const Options options_;
  const std::shared_ptr<lib::EngineStats> stats_;  // shared with the engine and its other conversations
  const lib::SessionConfig config_;
  const Voice voice_;
  const std::shared_ptr<void> models_;  // in use
  lib::CallbackGate gate_;
  lib::CallerAudio caller_;
  lib::Playout playout_;
  std::unique_ptr<lib::IoSignal> audio_signal_;
  std::unique_ptr<lib::IoTimer> timer_;
  SpokenReplies replies_;
  Vad vad_;
  lib::Farewell farewell_;
  // state
  bool ready_ = false;
  bool begun_ = false;
  bool closed_ = false;
  std::deque<lib::CallerAudio::Frame> preroll_;  // the latest frames before an utterance is detected
  std::vector<int16_t> utterance_;
  int64_t dropped_ms_ = 0;
  unsigned turn_ = 0;  // number of the turn; synthesised sentences of earlier ones are ignored
  bool speaking_ = false;
  bool had_audio_ = false;
  BargeIn barge_in_;
  lib::Usage usage_;
  std::string pending_tool_call_;  // its id; empty: none
  std::string text_after_tool_;
  int64_t tool_deadline_ms_ = 0;
  int tool_calls_ = 0;
};

}  // namespace patchbay::engine_local
