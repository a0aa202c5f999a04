// Answers to bad bearers, of which an address may have some at once and then a few a second: whoever guesses
// is answered 401 as ever, only slower. On the main strand.
#pragma once

#include <patchbay/strand.h>

#include <cstdint>
#include <deque>
#include <string_view>

#include "rate/address_limiter.h"

namespace patchbay::rest_api {

class SlowRefusals {
 public:
  explicit SlowRefusals(const Host& host);

  // Runs `answer` now or a second from now. Not after this is destroyed.
  void run(std::string_view address, Function<void()> answer);

 private:
  struct Late {
    int64_t due_ns = 0;
    Function<void()> answer;
  };
  void arm();
  void release();

  const Host* host_;
  lib::AddressLimiter limiter_;
  std::deque<Late> late_;  // all wait equally long, so they are in order
  Timer timer_;
};

}  // namespace patchbay::rest_api
