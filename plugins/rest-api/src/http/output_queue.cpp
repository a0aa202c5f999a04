#include "output_queue.h"

#include <utility>

namespace patchbay::rest_api {
namespace {

// The memory of a written text that is kept.
constexpr size_t kMaxSpare = 64 * 1024;

}  // namespace

std::string& OutputQueue::text() {
  if (!open_) pieces_.push_back({std::exchange(spare_, {})});
  open_ = true;
  return pieces_.back().text;
}

void OutputQueue::append(std::string_view more) { text().append(more); }

// The text grows no more, so that its octets keep their place.
void OutputQueue::close_text() {
  if (!std::exchange(open_, false)) return;
  size_ += pieces_.back().octets();
  if (pieces_.back().octets() == 0) pieces_.pop_back();
}

void OutputQueue::append_body(std::string body, BodyBudget::Share share) {
  close_text();
  size_ += body.size();
  ++bodies_;
  pieces_.push_back({std::move(body), {}, std::move(share), true});
}

void OutputQueue::append_body(Buffer body, BodyBudget::Share share) {
  close_text();
  size_ += body.size();
  ++bodies_;
  pieces_.push_back({{}, std::move(body), std::move(share), true});
}

WritePieces OutputQueue::next(size_t max_octets) {
  WritePieces next;
  if (open_ && pieces_.size() <= next.size()) close_text();
  size_t skip = written_;
  for (size_t i = 0; i < next.size() && i < pieces_.size() && max_octets > 0; ++i) {
    next[i] = pieces_[i].view().substr(skip, max_octets);
    max_octets -= next[i].size();
    skip = 0;
  }
  return next;
}

void OutputQueue::consume(size_t octets) {
  size_ -= octets;
  written_ += octets;
  // A text that still grows stays.
  while (pieces_.size() > (open_ ? 1 : 0) && written_ >= pieces_.front().octets()) {
    Piece& first = pieces_.front();
    written_ -= first.octets();
    if (first.is_body) {
      --bodies_;
    } else if (first.text.capacity() <= kMaxSpare && first.text.capacity() > spare_.capacity()) {
      spare_ = std::move(first.text);
      spare_.clear();
    }
    pieces_.pop_front();
  }
}

void OutputQueue::update_lag(const Lag& lag) {
  for (Piece& piece : pieces_) piece.share.set_lag(lag);
}

}  // namespace patchbay::rest_api
