#include "isolation/media/ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace patchbay::core::isolation {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Result<SharedAudio*> mapped(const Descriptor& fd) {
  struct stat about {};
  const int seals = ::fcntl(fd.get(), F_GET_SEALS);
  const bool sound = seals >= 0 && (seals & kSeals) == kSeals && ::fstat(fd.get(), &about) == 0 &&
                     about.st_size == static_cast<off_t>(sizeof(SharedAudio));
  void* memory = sound ? ::mmap(nullptr, sizeof(SharedAudio), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0)
                       : MAP_FAILED;
  if (memory == MAP_FAILED) return {Code::invalid, "not the memory of a port"};
  return static_cast<SharedAudio*>(memory);
}

}  // namespace

uint32_t SharedQueue::size() const noexcept {
  const uint32_t waiting = written_.load(std::memory_order_acquire) - read_.load(std::memory_order_acquire);
  return std::min(waiting, kMaxRingFrames);
}

bool SharedQueue::push(const pb_frame& frame) noexcept {
  const uint32_t at = written_.load(std::memory_order_relaxed);
  if (at - read_.load(std::memory_order_acquire) >= kMaxRingFrames) return false;
  SharedFrame& slot = slots_[at % kMaxRingFrames];
  slot.flags = frame.flags;
  slot.rate_hz = frame.rate_hz;
  slot.samples = std::min(frame.samples, kMaxSamples);
  slot.tick = frame.tick;
  slot.time_ns = frame.time_ns;
  if ((frame.flags & PB_FRAME_SILENCE) == 0) std::memcpy(slot.pcm, frame.pcm, slot.samples * sizeof(int16_t));
  written_.store(at + 1, std::memory_order_release);
  return true;
}

bool SharedQueue::pop(pb_frame& frame) noexcept {
  const uint32_t at = read_.load(std::memory_order_relaxed);
  if (written_.load(std::memory_order_acquire) == at) return false;
  const SharedFrame& slot = slots_[at % kMaxRingFrames];
  frame.flags = slot.flags & PB_FRAME_SILENCE;
  frame.samples = std::min({slot.samples, frame.capacity, kMaxSamples});
  if ((frame.flags & PB_FRAME_SILENCE) == 0) {
    std::memcpy(frame.pcm, slot.pcm, frame.samples * sizeof(int16_t));
  } else {
    std::memset(frame.pcm, 0, frame.capacity * sizeof(int16_t));
  }
  read_.store(at + 1, std::memory_order_release);
  return true;
}

bool SharedQueue::is_early() const noexcept {
  const uint32_t at = read_.load(std::memory_order_relaxed);
  return written_.load(std::memory_order_acquire) != at &&
         (slots_[at % kMaxRingFrames].flags & kEarlyFrame) != 0;
}

void SharedQueue::clear() noexcept {
  read_.store(written_.load(std::memory_order_acquire), std::memory_order_release);
}

Result<std::unique_ptr<Ring>> Ring::create() {
  Descriptor fd(::memfd_create("patchbay-port", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd || ::ftruncate(fd.get(), sizeof(SharedAudio)) != 0 || ::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0)
    return {Code::exhausted, "no shared memory"};
  PB_TRY_VALUE(SharedAudio* const shared, mapped(fd));
  return std::unique_ptr<Ring>(new Ring(std::move(fd), shared));
}

Result<std::unique_ptr<Ring>> Ring::map(const Descriptor& fd) {
  PB_TRY_VALUE(SharedAudio* const shared, mapped(fd));
  return std::unique_ptr<Ring>(new Ring(Descriptor(), shared));
}

Ring::~Ring() { ::munmap(shared_, sizeof(SharedAudio)); }

}  // namespace patchbay::core::isolation
