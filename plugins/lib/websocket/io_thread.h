// One thread for the sockets, timers and signals of many clients. Everything made on an IoThread must be
// destroyed before it. No exception leaves the thread.
#pragma once

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
