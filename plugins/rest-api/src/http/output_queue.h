// The octets of one connection that wait to be written, in order. Large response bodies are kept as they are,
// because a copy of each would double their memory; buffers stay shared. One thread.
#pragma once

#include <patchbay/buffer.h>

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "body_budget.h"
#include "transport.h"

namespace patchbay::rest_api {

class OutputQueue {
 public:
  // Copies text behind what waits.
  void append(std::string_view text);
  // The text at the end, to append to. Valid until the next call.
  std::string& text();
  // Takes over a body; `share` is released once it is written.
  void append_body(std::string body, BodyBudget::Share share);
  void append_body(Buffer body, BodyBudget::Share share);

  // The next octets to write, at most `max_octets`; they stay valid until they are consumed.
  WritePieces next(size_t max_octets);
  void consume(size_t octets);
  // Passes the reader's lag to the shares.
  void update_lag(const Lag& lag);

  size_t size() const noexcept { return size_ + (open_ ? pieces_.back().text.size() : 0); }
  bool empty() const noexcept { return size() == 0; }
  // Whether a body that was taken over is not written yet.
  bool has_body() const noexcept { return bodies_ > 0; }

 private:
  struct Piece {
    std::string text;
    Buffer bytes{};  // instead of `text`, unless empty
    BodyBudget::Share share{};
    bool is_body = false;
    std::string_view view() const noexcept { return bytes.size() > 0 ? bytes.view() : text; }
    size_t octets() const noexcept { return view().size(); }
  };
  void close_text();

  std::deque<Piece> pieces_;
  std::string spare_;   // the memory of a written text, for the next one
  size_t size_ = 0;     // octets of the closed pieces that are not written
  size_t written_ = 0;  // of the first piece
  size_t bodies_ = 0;
  bool open_ = false;  // the last piece is text that may grow
};

}  // namespace patchbay::rest_api
