// The arithmetic of Polyphase, with the vector instructions of the processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "resampler/polyphase_filter.h"

namespace patchbay::lib {

// Converts groups of input, at most kMaxGroups. `history`: the latest kLength groups as samples, for
// each phase one after the other, oldest first; updated. Saturates. [media]
using PolyphaseKernel = void (*)(const PolyphaseFilter& filter, const int16_t* in, size_t groups,
                                 float* history, int16_t* out) noexcept;

// Returns the kernels that this processor can run, the fastest first. Their results differ by 1 at most.
std::span<const PolyphaseKernel> polyphase_kernels() noexcept;

}  // namespace patchbay::lib
