// Phone: a telephone that talks when it is told to. SIPp answers, an RtpLeg of our own is its ear and mouth.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "call_server.h"

namespace patchbay::test {

// For one call, which the other side ends. For the test's thread.
class Phone {
 public:
  Phone();
  ~Phone();

  uint16_t port() const { return sipp_->port(); }
  Sipp& sipp() { return *sipp_; }

  // A tone, from now on for so long.
  void speak(int ms) { speak_ms_ = ms; }
  void press(const std::string& keys);
  // Sends so many packets of junk from another port to where the server listens. Not before sound has come.
  void suffer_junk(int packets);
  // How much sound has come so far.
  int64_t heard_ms() const { return heard_ms_; }
  // Whether so much came within a minute.
  bool hears(int64_t ms) const;

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
