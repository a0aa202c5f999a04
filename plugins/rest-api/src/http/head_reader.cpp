#include "head_reader.h"

#include <cstdint>
#include <cstring>

namespace patchbay::rest_api {
namespace {

// A vector type of GCC and clang, which both compile for any processor.
typedef unsigned char Block __attribute__((vector_size(16)));

constexpr bool is_plain(unsigned char c) noexcept { return c >= 0x20 && c != 0x7f; }

bool is_plain_block(const char* from) noexcept {
  Block block;
  std::memcpy(&block, from, sizeof block);
  const Block special = (block < 0x20) | (block == 0x7f);
  uint64_t halves[2];
  std::memcpy(halves, &special, sizeof halves);
  return (halves[0] | halves[1]) == 0;
}

// Returns where the characters that may stand anywhere within a line end, from `at` on.
size_t end_of_plain(std::string_view bytes, size_t at) noexcept {
  while (bytes.size() - at >= sizeof(Block) && is_plain_block(bytes.data() + at)) at += sizeof(Block);
  while (at < bytes.size() && is_plain(static_cast<unsigned char>(bytes[at]))) ++at;
  return at;
}

}  // namespace

HeadReader::State HeadReader::read(std::string_view bytes) noexcept {
  const State state = scan(bytes);
  const size_t size = state == State::done ? at_ : bytes.size();
  const bool is_full = state == State::more && size == max_octets_;
  return size > max_octets_ || is_full ? State::too_large : state;
}

HeadError HeadReader::error_of(State state) noexcept {
  if (state == State::too_large) return {431, "the head of the request is too large"};
  return {400, "the head of the request is malformed"};
}

HeadReader::State HeadReader::scan(std::string_view bytes) noexcept {
  while (at_ < bytes.size()) {
    const auto c = static_cast<unsigned char>(bytes[at_++]);
    if (after_cr_) {
      if (c != '\n') return State::bad;  // bare CR
      after_cr_ = false;
      const bool empty_line = at_ - line_start_ == 2;
      if (empty_line) return line_start_ == 0 ? State::bad : State::done;
      line_start_ = at_;
    } else if (c == '\r') {
      after_cr_ = true;
    } else if (!is_plain(c) && c != '\t') {
      return State::bad;  // bare LF, NUL and the other controls
    } else if ((c == ' ' || c == '\t') && at_ - 1 == line_start_) {
      return State::bad;  // obs-fold, or space before the first line
    } else {
      at_ = end_of_plain(bytes, at_);
    }
  }
  return State::more;
}

}  // namespace patchbay::rest_api
