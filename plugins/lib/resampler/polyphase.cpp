#include "resampler/polyphase.h"

#include <algorithm>

namespace patchbay::lib {

Polyphase::Polyphase(const PolyphaseFilter& filter, PolyphaseKernel kernel)
    : filter_(&filter), kernel_(kernel), history_(PolyphaseFilter::kLength * filter.down()) {}

size_t Polyphase::process(const int16_t* in, size_t samples, int16_t* out, size_t capacity) noexcept {
  size_t written = 0;
  if (group_size_ > 0 && !complete_group(in, samples)) return 0;
  if (group_size_ > 0) written = convert(group_.data(), 1, out, capacity);
  const size_t groups = samples / filter_->down();
  written += convert(in, groups, out + written, capacity - written);
  group_size_ = samples % filter_->down();
  std::copy_n(in + groups * filter_->down(), group_size_, group_.begin());
  return written;
}

bool Polyphase::complete_group(const int16_t*& in, size_t& samples) noexcept {
  const size_t taken = std::min(samples, filter_->down() - group_size_);
  std::copy_n(in, taken, group_.begin() + static_cast<ptrdiff_t>(group_size_));
  group_size_ += taken;
  in += taken;
  samples -= taken;
  return group_size_ == filter_->down();
}

size_t Polyphase::convert(const int16_t* in, size_t groups, int16_t* out, size_t capacity) noexcept {
  const size_t wanted = std::min(groups, capacity / filter_->up());
  for (size_t done = 0; done < wanted;) {
    const size_t part = std::min(wanted - done, PolyphaseFilter::kMaxGroups);
    convert_part(in + done * filter_->down(), part, out + done * filter_->up());
    done += part;
  }
  return wanted * filter_->up();
}

// Digital silence after digital silence needs no arithmetic; an engine is silent for most of a call.
void Polyphase::convert_part(const int16_t* in, size_t groups, int16_t* out) noexcept {
  const bool is_silent = std::all_of(in, in + groups * filter_->down(), [](int16_t s) { return s == 0; });
  if (is_silent && silent_groups_ == PolyphaseFilter::kLength) {
    std::fill_n(out, groups * filter_->up(), int16_t{0});
    return;
  }
  kernel_(*filter_, in, groups, history_.data(), out);
  silent_groups_ = is_silent ? std::min(silent_groups_ + groups, PolyphaseFilter::kLength) : 0;
}

}  // namespace patchbay::lib
