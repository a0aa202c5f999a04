// Arena: memory that is freed only as a whole. std::pmr::monotonic_buffer_resource would do, but libc++ 14
// lacks it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace patchbay::core::json {

class Arena {
 public:
  explicit Arena(size_t first_block = 1024) : block_(first_block) {}

  // `align`: a power of two, at most that of max_align_t.
  void* allocate(size_t size, size_t align) {
    const size_t padding = (0 - reinterpret_cast<uintptr_t>(next_)) & (align - 1);
    if (padding + size > left_) return take_block(size);
    char* const given = next_ + padding;
    next_ = given + size;
    left_ -= padding + size;
    return given;
  }

 private:
  // Each block is at least 1.5 times as large as the one before.
  void* take_block(size_t size) {
    left_ = std::max(block_, size);
    block_ += block_ / 2;
    blocks_.emplace_back(new char[left_]);
    next_ = blocks_.back().get() + size;
    left_ -= size;
    return blocks_.back().get();
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t block_;
};

}  // namespace patchbay::core::json
