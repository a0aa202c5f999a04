#include "head_reader.h"

namespace patchbay::rest_api {

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
    } else if ((c < 0x20 && c != '\t') || c == 0x7f) {
      return State::bad;  // bare LF, NUL and the other controls
    } else if ((c == ' ' || c == '\t') && at_ - 1 == line_start_) {
      return State::bad;  // obs-fold, or space before the first line
    }
  }
  return State::more;
}

}  // namespace patchbay::rest_api
