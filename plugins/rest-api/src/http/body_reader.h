// Reads message bodies (RFC 9112 6 and 7), by length or chunked: strict, bounded by the limit, with memory
// for what has arrived only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::rest_api {

struct Refusal;

// The 413 of a body that is larger than its route allows.
Refusal body_too_large(size_t max_body);

class BodyReader {
 public:
  enum class State { more, done, bad, too_large };

  void begin_length(uint64_t length) noexcept;
  void begin_chunked(size_t limit) noexcept;

  // After begin_*(): the content is read and dropped.
  void discard() noexcept { discards_ = true; }
  bool is_chunked() const noexcept { return chunked_; }

  // Reads a prefix of `bytes` of length `used` and appends its content to `body`. After done, bad or
  // too_large call begin_length() or begin_chunked() before the next body.
  State feed(std::string_view bytes, std::string& body, size_t& used);

 private:
  // In the order of a chunked body; a body by length uses `data` only.
  enum class Step {
    size,
    extension,  // before the name
    extension_name,
    extension_equals,  // blanks after the name
    extension_value,   // its first character
    extension_token,
    extension_quoted,
    extension_escaped,
    extension_end,  // after the value
    size_lf,
    data,
    data_cr,
    data_lf,
    trailer_start,
    trailer,
    trailer_lf,
    end_lf
  };

  State feed_chunked(std::string_view bytes, std::string& body, size_t& used);
  void take(std::string_view content, std::string& body);
  State on_control(char c) noexcept;
  State on_extension(char c) noexcept;

  Step step_ = Step::data;
  bool chunked_ = false;
  bool discards_ = false;
  uint64_t remaining_ = 0;
  uint64_t taken_ = 0;
  size_t limit_ = 0;
  size_t extras_ = 0;  // octets of all extensions and trailers, which the body limit does not count
  unsigned digits_ = 0;
  bool named_ = false;  // the colon of the trailer field was read
};

}  // namespace patchbay::rest_api
