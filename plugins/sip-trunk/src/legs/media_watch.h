// MediaWatch: notices that the peer of an answered call sends no RTP any more.
#pragma once

#include <patchbay/function.h>
#include <patchbay/strand.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace patchbay::sip_trunk {

// Main strand, except for set_held().
class MediaWatch {
 public:
  // Calls on_silent(why) on the main strand, once, after `timeout_ms` without media.
  MediaWatch(const Host& host, int64_t timeout_ms, Function<void(const std::string& why)> on_silent);

  // Call it when the callee has answered. `last_received_ns`: when the latest packet came; it must live until
  // stop() or the destructor.
  void start(const std::atomic<int64_t>& last_received_ns);
  void stop() { timer_.cancel(); }

  // Any thread. A peer that holds the call may be silent; the timeout begins anew when it resumes the call.
  void set_held(bool held);

 private:
  void check();

  // borrowed
  const Host& host_;
  const std::atomic<int64_t>* last_received_ns_ = nullptr;
  // owned
  const int64_t timeout_ms_;
  const Function<void(const std::string&)> on_silent_;
  Timer timer_;
  // state
  int64_t started_ns_ = 0;
  std::mutex mutex_;  // guards the next two
  bool held_ = false;
  int64_t resumed_ns_ = 0;
};

}  // namespace patchbay::sip_trunk
