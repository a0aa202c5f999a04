// Reads the head of a request up to its empty line, bounded by a limit. Refuses at once what RFC 9112 forbids
// between lines: Beast, which parses the head afterwards, would wait for more input after a bare LF, which
// helps slow clients, and would accept obs-fold.
#pragma once

#include <cstddef>
#include <string_view>

namespace patchbay::rest_api {

// Why a head is refused.
struct HeadError {
  int status = 400;
  const char* text = "";  // one sentence for the client
};

class HeadReader {
 public:
  enum class State { more, done, bad, too_large };

  // `max_octets` is of the head with its empty line.
  explicit HeadReader(size_t max_octets) noexcept : max_octets_(max_octets) {}

  // `bytes` is the head from its first byte, longer with each call. After done, bad or too_large call reset()
  // before the next head.
  State read(std::string_view bytes) noexcept;
  // Length of the head with its empty line; valid when done.
  size_t length() const noexcept { return at_; }
  // The response to a head that is bad or too_large.
  static HeadError error_of(State state) noexcept;
  void reset() noexcept { *this = HeadReader(max_octets_); }

 private:
  State scan(std::string_view bytes) noexcept;

  size_t max_octets_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  bool after_cr_ = false;
};

}  // namespace patchbay::rest_api
