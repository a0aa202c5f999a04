// SampleRing: passes samples between a media loop and a strand, without locks: one thread writes, another
// reads. All memory is allocated beforehand.
//
//   SampleRing ring_{16000};                                    // a second at 16 kHz
//   void push(const pb_frame& in) { ring_.write(in.pcm, in.samples); }        // [media]
//   void take() { while (const size_t n = ring_.read(part, kPart)) ... }      // strand
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace patchbay {

class SampleRing {
 public:
  // Holds up to `capacity` samples.
  explicit SampleRing(size_t capacity) : samples_(capacity) {}
  SampleRing(const SampleRing&) = delete;
  SampleRing& operator=(const SampleRing&) = delete;

  size_t capacity() const noexcept { return samples_.size(); }

  // [media] The writing thread: appends what there is room for, and returns how many samples that are. The
  // others are counted in dropped().
  size_t write(const int16_t* samples, size_t count) noexcept {
    const size_t at = written_.load(std::memory_order_relaxed);
    const size_t room = samples_.size() - (at - read_.load(std::memory_order_acquire));
    const size_t taken = std::min(count, room);
    for_parts(at, taken, [&](size_t from, size_t size, size_t done) {
      std::copy_n(samples + done, size, samples_.begin() + static_cast<std::ptrdiff_t>(from));
    });
    written_.store(at + taken, std::memory_order_release);
    if (taken < count) dropped_.fetch_add(count - taken, std::memory_order_relaxed);
    return taken;
  }
  // [media] The reading thread: takes up to `count` samples, the oldest first, and returns how many.
  size_t read(int16_t* out, size_t count) noexcept {
    const size_t at = read_.load(std::memory_order_relaxed);
    const size_t taken = std::min(count, written_.load(std::memory_order_acquire) - at);
    for_parts(at, taken, [&](size_t from, size_t size, size_t done) {
      std::copy_n(samples_.begin() + static_cast<std::ptrdiff_t>(from), size, out + done);
    });
    read_.store(at + taken, std::memory_order_release);
    return taken;
  }
  // [media] The reading thread: forgets what waits.
  void clear() noexcept { read_.store(written_.load(std::memory_order_acquire), std::memory_order_release); }

  // [any] [media] The samples that wait. The reading thread can read at least so many, the writing one can
  // write at least capacity() less these.
  size_t size() const noexcept {
    const size_t read = read_.load(std::memory_order_acquire);
    return written_.load(std::memory_order_acquire) - read;
  }
  // [any] [media] Samples for which there was no room, since the beginning.
  uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  // Calls f(index, size, done) for one or two parts, because samples wrap at the end of the memory.
  template <class F>
  void for_parts(size_t at, size_t count, F f) noexcept {
    if (count == 0) return;
    const size_t from = at % samples_.size();
    const size_t first = std::min(count, samples_.size() - from);
    f(from, first, size_t{0});
    if (count > first) f(size_t{0}, count - first, first);
  }

  std::vector<int16_t> samples_;
  // Since the beginning. On cache lines of their own, because two threads change them.
  alignas(64) std::atomic<size_t> written_{0};
  alignas(64) std::atomic<size_t> read_{0};
  std::atomic<uint64_t> dropped_{0};
};

}  // namespace patchbay
