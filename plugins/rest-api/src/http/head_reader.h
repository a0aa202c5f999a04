// Finds the end of a request head and refuses at once what RFC 9112 forbids between lines. Beast would wait
// for more input after a bare LF, which helps slow clients, and would accept obs-fold.
#pragma once

#include <cstddef>
#include <string_view>

namespace patchbay::rest_api {

class HeadReader {
 public:
  enum class State { more, done, bad };

  // `bytes` is the head from its first byte, longer with each call.
  State scan(std::string_view bytes) noexcept;
  // Length of the head with its empty line; valid when done.
  size_t length() const noexcept { return at_; }
  void reset() noexcept { *this = HeadReader(); }

 private:
  size_t at_ = 0;
  size_t line_start_ = 0;
  bool after_cr_ = false;
};

}  // namespace patchbay::rest_api
