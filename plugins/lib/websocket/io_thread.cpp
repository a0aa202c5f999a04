#include "websocket/io_thread.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <utility>

#include "websocket/callback_gate.h"
#include "websocket/io_thread_impl.h"

namespace patchbay::lib {

IoThread::IoThread(const std::string& name, std::shared_ptr<TlsContexts> tls)
    : impl_(std::make_unique<Impl>(tls ? std::move(tls) : std::make_shared<TlsContexts>())) {
  impl_->thread = std::thread([impl = impl_.get(), name] {
    pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
    impl->run();
  });
}

IoThread::~IoThread() {
  impl_->request_stop();
  impl_->thread.join();
  impl_->resolver.stop();  // before impl_ is destroyed, because an answer posts to this object
}

void IoThread::post(std::function<void()> task) { impl_->post(std::move(task)); }

void IoThread::drain() {
  auto done = std::make_shared<std::promise<void>>();
  post([done] { done->set_value(); });
  done->get_future().wait();
}

bool IoThread::on_thread() const { return impl_->thread.get_id() == std::this_thread::get_id(); }

int64_t steady_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct IoWatch::State {
  std::atomic<bool> waiting{false};
  std::atomic<int64_t> lag_ms{0};
  int64_t sent_ms = 0;  // written before the task is posted; the task reads it
};

IoWatch::IoWatch(IoThread& io) : io_(io), state_(std::make_shared<State>()) {}

IoWatch::Sample IoWatch::sample() {
  const int64_t now = steady_ms();
  const bool waiting = state_->waiting.load(std::memory_order_acquire);
  const int64_t lag_ms = state_->lag_ms.load(std::memory_order_relaxed);
  if (waiting) return {std::max<int64_t>(now - state_->sent_ms, 1), lag_ms};
  state_->sent_ms = now;
  state_->waiting.store(true, std::memory_order_release);
  io_.post([state = state_] {
    state->lag_ms.store(steady_ms() - state->sent_ms, std::memory_order_relaxed);
    state->waiting.store(false, std::memory_order_release);
  });
  return {0, lag_ms};
}

IoTimer::IoTimer(IoThread& io) : io_(io), timer_(std::make_shared<LoopTimer>()) {}

IoTimer::~IoTimer() { cancel(); }

void IoTimer::start(int delay_ms, std::function<void()> callback) {
  timer_->callback = std::move(callback);
  io_.impl().arm(timer_, delay_ms);
}

void IoTimer::cancel() {
  io_.impl().disarm(*timer_);
  timer_->callback = nullptr;
}

struct IoSignal::State final : SignalQueue::Signal {
  explicit State(std::function<void()> on_signal) : callback(std::move(on_signal)) {}
  void run() override { gate.run(callback); }

  const std::function<void()> callback;
  CallbackGate gate;
};

IoSignal::IoSignal(IoThread& io, std::function<void()> callback)
    : io_(io), state_(std::make_shared<State>(std::move(callback))) {}

IoSignal::~IoSignal() { state_->gate.close(); }

void IoSignal::notify() noexcept { io_.impl().trigger(state_); }

}  // namespace patchbay::lib
