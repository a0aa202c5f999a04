#include "websocket/io_thread.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <future>
#include <system_error>

#include "websocket/callback_gate.h"
#include "websocket/io_thread_impl.h"

namespace patchbay::lib {
namespace net = boost::asio;

IoThread::IoThread(const std::string& name) : impl_(std::make_unique<Impl>()) {
  impl_->thread = std::thread([impl = impl_.get(), name] {
    pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
    while (!impl->context.stopped()) {
      try {
        impl->context.run();
      } catch (...) {
        // A handler ran out of memory: its operation is lost, but the thread and all other clients continue.
      }
    }
  });
}

IoThread::~IoThread() {
  net::post(impl_->context, [this] { impl_->context.stop(); });
  impl_->thread.join();
}

void IoThread::post(std::function<void()> task) { net::post(impl_->context, std::move(task)); }

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

struct IoTimer::State {
  explicit State(net::io_context& context) : timer(context) {}
  net::steady_timer timer;
  std::function<void()> callback;
  unsigned generation = 0;
};

IoTimer::IoTimer(IoThread& io) : state_(std::make_shared<State>(io.impl().context)) {}

IoTimer::~IoTimer() { cancel(); }

void IoTimer::start(int delay_ms, std::function<void()> callback) {
  unsigned generation = ++state_->generation;
  state_->callback = std::move(callback);
  state_->timer.expires_after(std::chrono::milliseconds(delay_ms));
  state_->timer.async_wait([state = state_, generation](const boost::system::error_code&) {
    if (generation != state->generation) return;
    auto callback_now = std::move(state->callback);
    state->callback = nullptr;
    if (callback_now) callback_now();
  });
}

void IoTimer::cancel() {
  ++state_->generation;
  state_->callback = nullptr;
  boost::system::error_code ignored;
  state_->timer.cancel(ignored);
}

struct IoSignal::State : std::enable_shared_from_this<IoSignal::State> {
  State(net::io_context& context, std::function<void()> on_signal)
      : event(context, ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)), callback(std::move(on_signal)) {
    fd = event.native_handle();
  }

  void wait() {
    event.async_wait(net::posix::stream_descriptor::wait_read, [self = shared_from_this()](
                                                                   const boost::system::error_code& error) {
      if (error) return;
      uint64_t count = 0;
      (void)!::read(self->fd, &count, sizeof count);
      self->armed.store(false);  // before the callback, because a later notify() must wake the thread again
      self->gate.run(self->callback);
      if (self->event.is_open()) self->wait();
    });
  }

  net::posix::stream_descriptor event;
  std::function<void()> callback;
  CallbackGate gate;
  std::atomic<bool> armed{false};
  int fd = -1;
};

IoSignal::IoSignal(IoThread& io, std::function<void()> callback)
    : io_(io), state_(std::make_shared<State>(io.impl().context, std::move(callback))) {
  io_.post([state = state_] { state->wait(); });
}

IoSignal::~IoSignal() {
  state_->gate.close();
  io_.post([state = state_] {
    boost::system::error_code ignored;
    state->event.close(ignored);
  });
}

void IoSignal::notify() noexcept {
  if (state_->armed.exchange(true)) return;
  uint64_t one = 1;
  (void)!::write(state_->fd, &one, sizeof one);
}

}  // namespace patchbay::lib
