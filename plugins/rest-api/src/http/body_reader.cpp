#include "body_reader.h"

#include <patchbay/hex.h>

#include <algorithm>

#include "exchange.h"
#include "limits.h"

namespace patchbay::rest_api {
namespace {

constexpr unsigned kMaxDigits = 8;
constexpr size_t kFirstReserve = 32 * 1024;

bool is_text(char c) noexcept { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f); }

bool is_token(char c) noexcept {
  return is_text(c) && c != ' ' && c != '\t' && static_cast<unsigned char>(c) < 0x80 &&
         std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
}

}  // namespace

Refusal body_too_large(size_t max_body) {
  return {413, "payload_too_large", "the body is larger than " + std::to_string(max_body) + " bytes"};
}

void BodyReader::begin_length(uint64_t length) noexcept {
  *this = BodyReader();
  remaining_ = length;
}

void BodyReader::begin_chunked(size_t limit) noexcept {
  *this = BodyReader();
  chunked_ = true;
  limit_ = limit;
  step_ = Step::size;
}

BodyReader::State BodyReader::feed(std::string_view bytes, std::string& body, size_t& used) {
  used = 0;
  if (chunked_) return feed_chunked(bytes, body, used);
  used = static_cast<size_t>(std::min<uint64_t>(remaining_, bytes.size()));
  // Grows with what has arrived but never beyond the length, as std::string's doubling would.
  if (!discards_ && body.size() + used > body.capacity())
    body.reserve(static_cast<size_t>(
        std::min<uint64_t>(body.size() + remaining_, std::max(2 * body.capacity(), kFirstReserve))));
  take(bytes.substr(0, used), body);
  remaining_ -= used;
  return remaining_ == 0 ? State::done : State::more;
}

BodyReader::State BodyReader::feed_chunked(std::string_view bytes, std::string& body, size_t& used) {
  while (used < bytes.size()) {
    if (step_ == Step::data) {
      const auto size = static_cast<size_t>(std::min<uint64_t>(remaining_, bytes.size() - used));
      take(bytes.substr(used, size), body);
      used += size;
      remaining_ -= size;
      if (remaining_ == 0) step_ = Step::data_cr;
      continue;
    }
    const auto state = on_control(bytes[used++]);
    if (state != State::more) return state;
    if (step_ == Step::data && remaining_ > limit_ - std::min<uint64_t>(limit_, taken_))
      return State::too_large;
  }
  return State::more;
}

void BodyReader::take(std::string_view content, std::string& body) {
  taken_ += content.size();
  if (!discards_) body.append(content);
}

// RFC 9112 7.1.1: *( BWS ";" BWS name [ BWS "=" BWS value ] ), the first ";" being read.
BodyReader::State BodyReader::on_extension(char c) noexcept {
  if (++extras_ > kMaxChunkExtras) return State::bad;
  const bool blank = c == ' ' || c == '\t';
  const bool ends = step_ == Step::extension_name || step_ == Step::extension_equals ||
                    step_ == Step::extension_token || step_ == Step::extension_end;
  if (ends && (c == '\r' || c == ';')) {
    step_ = c == '\r' ? Step::size_lf : Step::extension;
    return State::more;
  }
  const auto go = [&](bool allowed, Step next) {
    step_ = next;
    return allowed ? State::more : State::bad;
  };
  switch (step_) {
    case Step::extension:
      return blank ? State::more : go(is_token(c), Step::extension_name);
    case Step::extension_name:
      if (is_token(c)) return State::more;
      return c == '=' ? go(true, Step::extension_value) : go(blank, Step::extension_equals);
    case Step::extension_equals:
      return blank ? State::more : go(c == '=', Step::extension_value);
    case Step::extension_value:
      if (blank) return State::more;
      return c == '"' ? go(true, Step::extension_quoted) : go(is_token(c), Step::extension_token);
    case Step::extension_token:
      return is_token(c) ? State::more : go(blank, Step::extension_end);
    case Step::extension_quoted:
      if (c == '"' || c == '\\') return go(true, c == '"' ? Step::extension_end : Step::extension_escaped);
      return is_text(c) ? State::more : State::bad;
    case Step::extension_escaped:
      return go(is_text(c), Step::extension_quoted);
    default:
      return blank ? State::more : State::bad;
  }
}

// Reads one octet that is not chunk data. Extensions and trailers are checked and dropped.
BodyReader::State BodyReader::on_control(char c) noexcept {
  const auto expect = [&](char wanted, Step next) {
    step_ = next;
    return c == wanted ? State::more : State::bad;
  };
  switch (step_) {
    case Step::size: {
      const int digit = hex_value(c);
      if (digit >= 0) {
        remaining_ = remaining_ * 16 + static_cast<unsigned>(digit);
        return ++digits_ <= kMaxDigits ? State::more : State::bad;
      }
      if (digits_ == 0 || (c != '\r' && c != ';')) return State::bad;
      step_ = c == '\r' ? Step::size_lf : Step::extension;
      return State::more;
    }
    case Step::extension:
    case Step::extension_name:
    case Step::extension_equals:
    case Step::extension_value:
    case Step::extension_token:
    case Step::extension_quoted:
    case Step::extension_escaped:
    case Step::extension_end:
      return on_extension(c);
    case Step::size_lf:
      digits_ = 0;
      return expect('\n', remaining_ == 0 ? Step::trailer_start : Step::data);
    case Step::data_cr:
      return expect('\r', Step::data_lf);
    case Step::data_lf:
      return expect('\n', Step::size);
    case Step::trailer_start:
      if (c == '\r') {
        step_ = Step::end_lf;
        return State::more;
      }
      if (!is_token(c)) return State::bad;  // obs-fold, or a field without a name
      step_ = Step::trailer;
      named_ = false;
      return State::more;
    case Step::trailer:
      if (++extras_ > kMaxChunkExtras) return State::bad;
      if (c == '\r' && named_) {
        step_ = Step::trailer_lf;
        return State::more;
      }
      if (c == ':') named_ = true;
      return (named_ ? is_text(c) : is_token(c)) ? State::more : State::bad;
    case Step::trailer_lf:
      return expect('\n', Step::trailer_start);
    case Step::end_lf:
      return c == '\n' ? State::done : State::bad;
    case Step::data:
      break;
  }
  return State::bad;
}

}  // namespace patchbay::rest_api
