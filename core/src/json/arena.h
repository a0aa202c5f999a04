// Arena: memory that is only ever given back as a whole. The standard library has one in std::pmr, but not
// every standard library that builds this has that (libc++ 14).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace patchbay::core::json {

class Arena {
 public:
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
  // Each block is half as large again as the one before.
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
  size_t block_ = 1024;
};

}  // namespace patchbay::core::json
