// Phone: a telephone controlled by the test. SIPp answers, an AudioStream sends and receives the audio.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "call_server.h"

namespace patchbay::test {

// For one call, which the other side ends. Used on the test's thread.
class Phone {
 public:
  Phone();
  ~Phone();

  uint16_t port() const { return sipp_->port(); }
  Sipp& sipp() { return *sipp_; }

  // Sends a tone for this long.
  void speak(int ms) { speak_ms_ = ms; }
  void press(const std::string& keys);
  // Sends this many junk packets from another port to the server's RTP port. Call it after audio has arrived.
  void suffer_junk(int packets);
  // The amount of audio received so far.
  int64_t heard_ms() const { return heard_ms_; }
  // Waits at most a minute for this amount of audio.
  bool hears(int64_t ms) const;
  // The same; then waits until the audio has ended, so that what the phone says next interrupts nothing.
  bool hears_to_the_end(int64_t at_least_ms) const;

 private:
  struct Ear;
  void run(Ear& ear);

  std::unique_ptr<Ear> ear_;
  std::unique_ptr<Sipp> sipp_;
  std::atomic<uint16_t> server_port_{0};
  std::atomic<int> speak_ms_{0};
  std::atomic<int64_t> heard_ms_{0};
  std::atomic<const char*> keys_{nullptr};  // still to be pressed; points into pressed_
  std::string pressed_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace patchbay::test
