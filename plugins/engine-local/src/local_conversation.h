// One call with the local engine. Everything runs on the io thread except where noted.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "dialog_policy.h"
#include "engine/caller_audio.h"
#include "local_engine.h"
#include "playout/playout.h"
#include "websocket/callback_gate.h"

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

  void start();
  void begin();
  void push_text(const std::string& text, bool trigger);
  void tool_result(const std::string& id, const std::string& json_object);
  void farewell();
  void close() { finish({1000, "", false, true}); }
  void finish(lib::SessionClose close);
  void abandon();

 private:
  LocalConversation(lib::IoThread& io, Recogniser& recogniser, Synthesiser& synthesiser,
                    const Options& options, std::shared_ptr<lib::EngineStats> stats,
                    lib::SessionConfig config, lib::SessionListener& listener);

  void loaded(const Status& status);
  void fetch_audio();
  void hear(const lib::CallerAudio::Frame& frame);
  void recognised(const Recognition& what);
  void interrupt();
  void carry_out(const Reply& reply);
  void say(const std::string& text);
  void spoken(unsigned turn, const std::string& sentence, const std::vector<int16_t>& samples, bool last);
  void end_turn();
  void tick();
  int64_t now_ms() const;
  template <class F>
  auto from_worker(F f);  // a callback that runs f(*this, …) on the io thread, if both still are

  // Borrowed.
  lib::IoThread& io_;
  Recogniser& recogniser_;
  Synthesiser& synthesiser_;
  lib::SessionListener& listener_;
  // Owned.
  const Options options_;
  const std::shared_ptr<lib::EngineStats> stats_;  // shared with the engine and its other conversations
  const lib::SessionConfig config_;
  const Voice voice_;
  lib::CallbackGate gate_;
  lib::CallerAudio caller_;
  lib::Playout playout_;
  std::unique_ptr<lib::IoSignal> signal_;
  std::unique_ptr<lib::IoTimer> timer_;
  DialogPolicy policy_;
  Vad vad_;
  lib::Farewell farewell_;
  // State.
  bool ready_ = false;
  bool begun_ = false;
  bool closed_ = false;
  std::deque<lib::CallerAudio::Frame> before_;  // what was heard just before an utterance was noticed
  std::vector<int16_t> utterance_;
  int64_t dropped_ms_ = 0;
  unsigned turn_ = 0;  // sentences of earlier turns come too late
  bool speaking_ = false;
  bool had_audio_ = false;
  bool cut_ = false;  // this utterance has interrupted already
  lib::Usage usage_;
  std::string waiting_call_;  // the tool whose result the reply waits for
  std::string after_call_;
  int64_t call_deadline_ms_ = 0;
  int calls_ = 0;
};

}  // namespace patchbay::engine_local
