// EngineSession: one session of an engine as the host sees it: its service, its audio port, and its reports
// to the listener.
#pragma once

#include <patchbay/audio.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/engine.h>

#include <atomic>
#include <memory>
#include <string>

#include "engine/engine.h"
#include "text/safe_text.h"

namespace patchbay::lib {

// Made and destroyed on the main strand; the engine calls it on its own thread, the media loop on its.
class EngineSession final : public SessionListener, private AudioPort {
 public:
  // ended() on the main strand, once: then it may be destroyed, unless is_stuck().
  EngineSession(const Host& host, const engine::Open& request, Function<void()> ended);
  ~EngineSession() override;

  Status open(Engine& engine, const engine::Open& request);
  engine::Opened handles();
  void close();
  // Ends the session without the engine, which does not respond: the listener has `why`, and the engine is
  // not listened to any more.
  void give_up(std::string_view why);
  // Whether the engine's thread is in a call of this object that does not return.
  bool is_stuck() const noexcept { return stuck_; }

 private:
  static constexpr uint32_t kHearsHz = 16000;
  static constexpr size_t kMaxTextBytes = 1u << 20;
  static constexpr size_t kFragmentBytes = 8;  // what a fragment counts for beside its text

  // engine's thread
  void on_ready(const std::string& note) override;
  void on_user_text(std::string_view fragment) override;
  void on_ai_text(std::string_view fragment) override;
  void on_ai_audio() override;
  void on_interrupted(const Heard& heard) override;
  void on_turn_complete(bool had_audio) override;
  void on_tool_call(const std::string& id, const std::string& name, const std::string& args_json) override;
  void on_tool_cancel(const std::string& id) override;
  void on_usage(const Usage& delta) override;
  void on_going_away(int time_left_ms) override;
  void on_connection_lost(const std::string& why) override;
  void on_farewell_done() override;
  void on_closed(const SessionClose& close) override;

  // media loop
  uint32_t pull_rate_hz() const noexcept override;
  uint32_t push_rate_hz() const noexcept override { return kHearsHz; }
  void pull(pb_frame& out) noexcept override;
  void push(const pb_frame& in) noexcept override;

  // Whether this much more text may be passed on; beyond kMaxTextBytes the session is closed.
  bool admits(size_t bytes);
  void report_closed(const engine::Closed& closed);
  void release();

  // borrowed
  const Host& host_;
  // owned
  const Log log_;
  const SecretGuard secret_;
  const std::string engine_name_;
  Function<void()> ended_;
  Lease<engine::Listener> listener_;
  Provision<engine::Session> service_;
  std::unique_ptr<Session> session_;
  // state
  bool releasing_ = false;
  bool stuck_ = false;
  std::atomic<bool> closed_reported_{false};
  // state of the engine's thread
  TextFragments user_words_, ai_words_;
  size_t text_bytes_ = 0;
  Lifetime alive_;
};

// The tools of engine::Open, as an Engine takes them.
Result<std::vector<Tool>> read_tools(const Host& host, std::string_view json);

}  // namespace patchbay::lib
