#include "websocket/io_thread.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <future>
#include <system_error>
#include <utility>

#include "websocket/callback_gate.h"
#include "websocket/io_thread_impl.h"

namespace patchbay::lib {
namespace net = boost::asio;

namespace {

int make_event() {
  const int fd = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return fd;
}

}  // namespace

IoThread::Impl::Impl(std::shared_ptr<TlsContexts> contexts)
    : tls(std::move(contexts)), event(context, make_event()), event_fd(event.native_handle()) {}

void IoThread::Impl::trigger(const std::shared_ptr<SignalQueue::Signal>& signal) noexcept {
  if (!signals.push(signal)) return;
  const uint64_t one = 1;
  (void)!::write(event_fd, &one, sizeof one);
}

void IoThread::Impl::wait_for_signals() {
  event.async_wait(net::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& error) {
    if (error) return;
    uint64_t count = 0;
    (void)!::read(event_fd, &count, sizeof count);
    run_signals();
  });
}

// Handles sockets and timers between two turns, because new signals may arrive all the time.
void IoThread::Impl::run_signals() {
  signals.run_queued();
  if (signals.try_sleep())
    wait_for_signals();
  else
    net::post(context, [this] { run_signals(); });
}

IoThread::IoThread(const std::string& name, std::shared_ptr<TlsContexts> tls)
    : impl_(std::make_unique<Impl>(tls ? std::move(tls) : std::make_shared<TlsContexts>())) {
  net::post(impl_->context, [impl = impl_.get()] { impl->run_signals(); });
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
