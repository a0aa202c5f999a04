// Answer<T>: a future for tests: the result of an asynchronous call, and a bounded wait for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "../result.h"

namespace patchbay::testing {

// Copies share one state. Any thread may call give(); the test waits.
template <class T>
class Answer {
 public:
  explicit Answer(int64_t wait_ms = 10000) : state_(std::make_shared<State>()), wait_ms_(wait_ms) {}

  // Sets the result; further calls are ignored.
  void give(Result<T> result) const {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    if (!state_->result) state_->result.emplace(std::move(result));
    state_->given.notify_all();
  }
  bool ready() const {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    return state_->result.has_value();
  }
  // Waits for the result. Code::timeout: none came. The host's clocks do not advance meanwhile.
  Result<T> get() const {
    std::unique_lock<std::mutex> lock(state_->mutex);
    const bool came = state_->given.wait_for(lock, std::chrono::milliseconds(wait_ms_),
                                             [this] { return state_->result.has_value(); });
    if (!came) return Error{Code::timeout, "no answer within " + std::to_string(wait_ms_) + " ms"};
    return *state_->result;
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable given;
    std::optional<Result<T>> result;
  };
  std::shared_ptr<State> state_;
  int64_t wait_ms_;
};

}  // namespace patchbay::testing
