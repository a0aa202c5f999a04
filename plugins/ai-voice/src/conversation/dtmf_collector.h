// DtmfCollector: collects the keys a caller presses into one message for the engine.
#pragma once

#include <patchbay/strand.h>

#include <string>
#include <utility>

#include "conversation/limits.h"

namespace patchbay::ai_voice {

// One strand. A pause of kMaxKeyGapMs or '#' ends a group of keys.
class DtmfCollector {
 public:
  DtmfCollector(const Host& host, StrandId strand) : timer_(host, strand) {}
  void on_keys(Function<void(const std::string&)> callback) { callback_ = std::move(callback); }

  void key(const std::string& digit) {
    keys_ += digit;
    if (digit == "#") return flush();
    timer_.after_ms(kMaxKeyGapMs, [this] { flush(); });
  }

  // Ends the group of keys now, if there are any.
  void finish() {
    if (!keys_.empty()) flush();
  }

 private:
  void flush() {
    timer_.cancel();
    callback_(std::exchange(keys_, {}));
  }

  Timer timer_;
  std::string keys_;
  Function<void(const std::string&)> callback_;
};

}  // namespace patchbay::ai_voice
