// For engine tests: a caller with its own thread as media clock, who speaks and listens, and a listener that
// records the engine's reports.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"

namespace patchbay::lib::test {

class RecordingListener : public SessionListener {
 public:
  bool ready = false;
  std::string note;
  std::string user_text;
  std::string ai_text;
  int ai_turns_started = 0;
  std::vector<Interruption> interruptions;
  int turns_with_audio = 0;
  int silent_turns = 0;
  struct Call {
    std::string id, name, args;
  };
  std::vector<Call> calls;
  std::vector<std::string> cancelled;
  Usage usage;
  int usage_reports = 0;
  int going_away = 0;
  bool farewell_done = false;
  int closes = 0;
  SessionClose close;

  // Called at each tool call, on the engine's thread.
  std::function<void(const std::string& id, const std::string& name)> on_call;

  template <class F>
  bool wait(F condition, int seconds = 60) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(seconds), condition);
  }
  bool wait_closed() {
    return wait([this] { return closes > 0; });
  }
  template <class F>
  auto read(F f) {
    std::lock_guard lock(mutex_);
    return f();
  }

  void on_ready(const std::string& text) override {
    change([&] { ready = true, note = text; });
  }
  void on_user_text(std::string_view text) override {
    change([&] { user_text += text; });
  }
  void on_ai_text(std::string_view text) override {
    change([&] { ai_text += text; });
  }
  void on_ai_audio() override {
    change([&] { ++ai_turns_started; });
  }
  void on_interrupted(const Interruption& heard) override {
    change([&] { interruptions.push_back(heard); });
  }
  void on_turn_complete(bool had_audio) override {
    change([&] { ++(had_audio ? turns_with_audio : silent_turns); });
  }
  void on_tool_call(const std::string& id, const std::string& name, const std::string& args) override {
    change([&] { calls.push_back({id, name, args}); });
    if (on_call) on_call(id, name);
  }
  void on_tool_cancel(const std::string& id) override {
    change([&] { cancelled.push_back(id); });
  }
  void on_usage(const Usage& delta) override {
    change([&] {
      ++usage_reports;
      usage.prompt_tokens += delta.prompt_tokens;
      usage.response_tokens += delta.response_tokens;
      usage.total_tokens += delta.total_tokens;
      usage.estimated = usage.estimated || delta.estimated;
    });
  }
  void on_going_away(int) override {
    change([&] { ++going_away; });
  }
  void on_farewell_done() override {
    change([&] { farewell_done = true; });
  }
  void on_closed(const SessionClose& why) override {
    change([&] {
      ++closes;
      close = why;
    });
  }

 private:
  template <class F>
  void change(F f) {
    std::lock_guard lock(mutex_);
    f();
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
};

// Ticks every 20 ms with absolute deadlines, as a media loop does.
class Caller {
 public:
  explicit Caller(Session& session) : session_(session), thread_([this] { run(); }) {}
  ~Caller() {
    stop_ = true;
    thread_.join();
  }

  void say(std::vector<int16_t> samples_16k) {
    std::lock_guard lock(mutex_);
    speech_.insert(speech_.end(), samples_16k.begin(), samples_16k.end());
  }
  void hum(int ms) {
    std::vector<int16_t> tone(static_cast<size_t>(ms) * 16);
    for (size_t i = 0; i < tone.size(); ++i)
      tone[i] = static_cast<int16_t>(6000 * std::sin(static_cast<double>(i) * 0.11));
    say(std::move(tone));
  }
  std::vector<int16_t> heard() {  // all audio so far, at the engine's rate
    std::lock_guard lock(mutex_);
    return heard_;
  }
  int64_t heard_ms() { return heard_samples_ * 1000 / session_.output_rate_hz(); }

 private:
  void run() {
    auto next = std::chrono::steady_clock::now();
    std::vector<int16_t> frame(320);
    std::vector<int16_t> out(static_cast<size_t>(session_.output_rate_hz() / 50));
    while (!stop_) {
      {
        std::lock_guard lock(mutex_);
        for (auto& sample : frame) sample = said_ < speech_.size() ? speech_[said_++] : int16_t{0};
      }
      session_.push_audio(frame.data(), frame.size());
      size_t real = session_.pull_audio(out.data(), out.size());
      heard_samples_ += static_cast<int64_t>(real);
      {
        std::lock_guard lock(mutex_);
        heard_.insert(heard_.end(), out.begin(), out.begin() + static_cast<long>(real));
      }
      next += std::chrono::milliseconds(20);
      std::this_thread::sleep_until(next);
    }
  }

  Session& session_;
  std::mutex mutex_;
  std::vector<int16_t> speech_;
  size_t said_ = 0;
  std::vector<int16_t> heard_;
  std::atomic<int64_t> heard_samples_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace patchbay::lib::test
