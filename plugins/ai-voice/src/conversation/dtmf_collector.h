// Dtmf: gathers the keys a caller presses into one message for the engine.
#pragma once

#include <patchbay/strand.h>

#include <string>
#include <utility>

namespace patchbay::ai_voice {

// On one strand. Keys belong together when they come within 2 s of each other; '#' ends them at once.
class Dtmf {
 public:
  Dtmf(const Host& host, StrandId strand) : timer_(host, strand) {}
  void on_keys(Function<void(const std::string&)> f) { f_ = std::move(f); }

  void key(const std::string& digit) {
    keys_ += digit;
    if (digit == "#") return flush();
    timer_.after_ms(kGapMs, [this] { flush(); });
  }

 private:
  static constexpr int64_t kGapMs = 2000;
  void flush() {
    timer_.cancel();
    f_(std::exchange(keys_, {}));
  }

  Timer timer_;
  std::string keys_;
  Function<void(const std::string&)> f_;
};

}  // namespace patchbay::ai_voice
