// One thread for the sockets, timers and signals of many clients. Destroy all objects that use an IoThread
// before it. No exception leaves the thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace patchbay::lib {

// [any] Monotonic time, for code without a host.
int64_t steady_ms();

struct LoopTimer;
class TlsContexts;

class IoThread {
 public:
  // `tls`: contexts to share with other threads; null: its own.
  explicit IoThread(const std::string& name = "io", std::shared_ptr<TlsContexts> tls = nullptr);
  ~IoThread();  // [any but the thread itself] runs the tasks posted earlier, stops, joins
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  void post(std::function<void()> task);  // [any] runs tasks in order
  void drain();            // [any but the thread itself] waits until all tasks posted earlier have run
  bool on_thread() const;  // [any]

  class Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Detects an IoThread that hangs: posts an empty task and measures how long it waits. Used on one thread,
// which is not the IoThread.
class IoWatch {
 public:
  explicit IoWatch(IoThread& io);

  struct Sample {
    int64_t waiting_ms = 0;  // how long the latest task has been waiting; 0: it has run
    int64_t lag_ms = 0;      // how long the last task that ran had waited
  };
  // Call it regularly: posts the next task once the previous one has run.
  Sample sample();

 private:
  struct State;
  IoThread& io_;
  std::shared_ptr<State> state_;  // shared with the pending task, which may outlive the watch
};

// One-shot timer, used on the IoThread only.
class IoTimer {
 public:
  explicit IoTimer(IoThread& io);
  ~IoTimer();
  IoTimer(const IoTimer&) = delete;
  IoTimer& operator=(const IoTimer&) = delete;

  void start(int delay_ms, std::function<void()> callback);  // replaces a pending callback
  void cancel();

 private:
  IoThread& io_;
  const std::shared_ptr<LoopTimer> timer_;
};

// Runs a callback on the IoThread, triggered from a thread that must not block, such as a media loop. All
// signals of an IoThread share one wake-up.
class IoSignal {
 public:
  IoSignal(IoThread& io, std::function<void()> callback);  // [any]
  ~IoSignal();                                             // [any] see CallbackGate::close()
  IoSignal(const IoSignal&) = delete;
  IoSignal& operator=(const IoSignal&) = delete;

  // [any, lock-free] Later calls have no effect until the callback begins. Allocates nothing; one system call
  // if the thread sleeps.
  void notify() noexcept;

 private:
  struct State;
  IoThread& io_;
  std::shared_ptr<State> state_;
};

}  // namespace patchbay::lib
