// EngineSession: exposes one session of an engine to the host: as a service and an audio port, with reports
// to the listener of the plugin that opened it.
#pragma once

#include <patchbay/audio.h>
#include <patchbay/end_watch.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/media_loop.h>
#include <patchbay/services/engine.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "engine/engine.h"
#include "engine/limits.h"
#include "text/safe_text.h"

namespace patchbay::lib {

// Created and destroyed on the main strand. The engine's thread and the media loop call it as well.
class EngineSession final : public SessionListener, private AudioPort {
 public:
  // Calls ended() once, on the main strand; then this object may be destroyed, unless is_stuck().
  EngineSession(const Host& host, const engine::Open& request, Function<void()> ended);
  ~EngineSession() override;

  Status open(Engine& engine, IoThread& io, const engine::Open& request);
  engine::Opened handles();
  void close();
  // Ends the session without its engine, which does not respond: reports `reason` to the listener and ignores
  // the engine from now on.
  void fail(std::string_view reason);
  // True if the engine's thread is stuck in a call of this object, which therefore must not be destroyed.
  bool is_stuck() const noexcept { return stuck_; }

 private:
  static constexpr uint32_t kInputRateHz = 16000;

  // engine's thread
  void on_ready(const std::string& note) override;
  void on_user_text(std::string_view fragment) override;
  void on_ai_text(std::string_view fragment) override;
  void on_ai_audio() override;
  void on_answer_startable() override;
  void on_interrupted(const Interruption& heard) override;
  void on_turn_complete(bool had_audio) override;
  void on_tool_call(const std::string& id, const std::string& name, const std::string& args_json) override;
  void on_tool_cancel(const std::string& id) override;
  void on_usage(const Usage& delta) override;
  void on_going_away(int time_left_ms) override;
  void on_connection_lost(const std::string& reason) override;
  void on_farewell_done() override;
  void on_closed(const SessionClose& close) override;

  // media loop
  uint32_t pull_rate_hz() const noexcept override;
  uint32_t push_rate_hz() const noexcept override { return kInputRateHz; }
  uint32_t push_flags() const noexcept override { return PB_PORT_UNPACED; }
  void attached(uint32_t loop) noexcept override {
    loop_thread_ = std::this_thread::get_id();
    loop_ = loop;
  }
  void pull(pb_frame& out) noexcept override;
  void push(const pb_frame& in) noexcept override;
  void detached() noexcept override {
    loop_ = PB_LOOP_ANY;
    loop_thread_ = std::thread::id();
  }
  bool stream_to(const FrameSink& sink) noexcept override;
  void begin_answer() noexcept;

  // Counts the text. Returns false, and closes the session, beyond kMaxSessionTextBytes.
  bool within_text_limit(size_t bytes);
  void report_closed(const engine::Closed& closed);
  // Closes the session, because the plugin that opened it cannot do so any more.
  void on_opener_ended();
  void release();

  // borrowed
  const Host& host_;
  // owned
  const Log log_;
  const SecretGuard secret_;
  Function<void()> ended_;
  Lease<engine::Listener> listener_;
  Provision<engine::Session> service_;
  std::unique_ptr<Session> session_;
  EndWatch listener_watch_;
  EndWatch opener_watch_;
  LoopTask begin_answer_;
  // state
  bool closing_ = false;  // by close()
  bool releasing_ = false;
  bool stuck_ = false;
  std::atomic<bool> closed_reported_{false};
  std::atomic<uint32_t> loop_{PB_LOOP_ANY};
  std::atomic<std::thread::id> loop_thread_{};  // of that loop
  // state of the media loop
  FrameSink sink_;
  bool is_ahead_ = false;  // a frame was passed before its tick
  std::array<int16_t, 48'000 / 1000 * PB_TICK_MS> first_frame_;
  // state of the engine's thread
  TextFragments user_words_, ai_words_;
  size_t text_bytes_ = 0;
  Lifetime alive_;
};

// Parses engine::Open::tools.
Result<std::vector<Tool>> parse_tools(const Host& host, std::string_view json);

}  // namespace patchbay::lib
