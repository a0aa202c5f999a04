// One thread for the sockets, timers and signals of many clients. Everything made on an IoThread must be
// destroyed before it. No exception leaves the thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace patchbay::lib {

class IoThread {
 public:
  explicit IoThread(const std::string& name = "io");
  ~IoThread();  // runs what was posted before, stops, joins; not on the thread itself
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  void post(std::function<void()> task);  // [any] in order
  void drain();            // [any but the thread itself] until all that was posted before has run
  bool on_thread() const;  // [any]

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Tells whether an IoThread still works: sends it an empty task and measures how long that waits. Used on one
// thread, another than the IoThread.
class IoWatch {
 public:
  explicit IoWatch(IoThread& io);

  struct Sample {
    int64_t waiting_ms = 0;  // how long the task that was sent last has been waiting; 0: it has run
    int64_t lag_ms = 0;      // how long the last task that ran had to wait
  };
  // Call it regularly: sends the next task once the one before has run.
  Sample look();

 private:
  struct State;
  IoThread& io_;
  std::shared_ptr<State> state_;  // shared with the task under way: the watch may end first
};

// A one-shot timer of the IoThread, used on that thread only.
class IoTimer {
 public:
  explicit IoTimer(IoThread& io);
  ~IoTimer();
  IoTimer(const IoTimer&) = delete;
  IoTimer& operator=(const IoTimer&) = delete;

  void start(int delay_ms, std::function<void()> callback);  // replaces what was armed
  void cancel();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Wakes the IoThread from a thread that must not wait, such as a media loop.
class IoSignal {
 public:
  IoSignal(IoThread& io, std::function<void()> callback);  // [any]
  ~IoSignal();                                             // [any], as a CallbackGate
  IoSignal(const IoSignal&) = delete;
  IoSignal& operator=(const IoSignal&) = delete;

  // [any, wait-free] One atomic exchange, and one write to an eventfd when the thread is not awake already.
  void notify() noexcept;

 private:
  struct State;
  IoThread& io_;
  std::shared_ptr<State> state_;
};

}  // namespace patchbay::lib
