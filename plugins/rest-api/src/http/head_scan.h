// Finds the end of a request head byte by byte and refuses at once what RFC 9112 forbids between lines. Beast
// waits for more input on some of it (a bare LF) and repairs other (obs-fold); a wait is a slow client's
// weapon.
#pragma once

#include <cstddef>
#include <string_view>

namespace patchbay::rest_api {

class HeadScan {
 public:
  enum class State { more, done, bad };

  // `bytes` is the head from its first byte on, each time longer than before.
  State scan(std::string_view bytes) noexcept;
  // Length of the head with its empty line; valid when done.
  size_t length() const noexcept { return at_; }
  void reset() noexcept { *this = HeadScan(); }

 private:
  size_t at_ = 0;
  size_t line_start_ = 0;
  bool after_cr_ = false;
};

}  // namespace patchbay::rest_api
