#include "playout/playout.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace patchbay::lib {
namespace {
constexpr auto kMaxPullWait = std::chrono::milliseconds(2);
// About 12 MB: two minutes in parts of 10 ms. An engine may deliver an answer in parts of one sample, and
// each takes a chunk.
constexpr size_t kMaxChunks = 12'000;
}  // namespace

Playout::Playout(Options options) : options_(options) {}

size_t Playout::push(const int16_t* samples, size_t count) {
  if (count == 0) return 0;
  if (!in_turn_) {
    in_turn_ = true;
    turn_start_ = playable_;
    turn_received_ = 0;
    turn_played_at_flush_ = -1;
    turn_ended_.store(false, std::memory_order_release);
  }
  size_t taken = 0;
  const int64_t before = buffered_samples();
  int64_t room = samples_of(options_.max_ms) - before;
  size_t wanted = std::min<size_t>(count, static_cast<size_t>(std::max<int64_t>(room, 0)));
  while (taken < wanted && queue_.size() < kMaxChunks) {
    Chunk* chunk = queue_.take();
    const size_t size = std::min(Chunk::kMaxSamples, wanted - taken);
    chunk->epoch = epoch_.load(std::memory_order_relaxed);
    chunk->size = static_cast<uint32_t>(size);
    std::memcpy(chunk->samples, samples + taken, size * sizeof(int16_t));
    queue_.push(chunk);
    pushed_.fetch_add(static_cast<int64_t>(size), std::memory_order_release);
    taken += size;
  }
  playable_ += static_cast<int64_t>(taken);
  turn_received_ += static_cast<int64_t>(taken);
  dropped_ += count - taken;
  const int64_t enough = samples_of(options_.prebuffer_ms);
  if (before < enough && before + static_cast<int64_t>(taken) >= enough) startable_();
  return taken;
}

void Playout::end_turn() {
  in_turn_ = false;
  if (turn_ended_.exchange(true, std::memory_order_acq_rel)) return;
  const int64_t buffered = buffered_samples();
  if (buffered > 0 && buffered < samples_of(options_.prebuffer_ms)) startable_();
}

Playout::Turn Playout::flush() {
  epoch_.fetch_add(1);
  // Waits for a pull() that saw the old epoch and may still count samples as played; it takes microseconds.
  auto give_up = std::chrono::steady_clock::now() + kMaxPullWait;
  while (pulling_.load() && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
  Turn heard = turn();
  turn_played_at_flush_ = std::clamp<int64_t>(played_.load() - turn_start_, 0, turn_received_);
  playable_ = played_.load();
  end_turn();
  return heard;
}

Playout::Turn Playout::turn() const {
  int64_t played = turn_played_at_flush_ >= 0
                       ? turn_played_at_flush_
                       : std::clamp<int64_t>(played_.load() - turn_start_, 0, turn_received_);
  return {to_ms(turn_received_), to_ms(played)};
}

bool Playout::drained() const { return played_.load(std::memory_order_acquire) >= playable_; }

int64_t Playout::buffered_ms() const {
  return to_ms(std::max<int64_t>(playable_ - played_.load(std::memory_order_acquire), 0));
}

Playout::Counters Playout::counters() const { return {underflows_.load(), dropped_}; }

void Playout::release_front() noexcept {
  queue_.pop();
  front_offset_ = 0;
}

int64_t Playout::buffered_samples() const noexcept {
  return pushed_.load(std::memory_order_acquire) - removed_.load(std::memory_order_acquire);
}

bool Playout::is_startable() const noexcept {
  return turn_ended_.load(std::memory_order_acquire) ||
         buffered_samples() >= samples_of(options_.prebuffer_ms);
}

bool Playout::may_start(size_t count) noexcept {
  waited_ += static_cast<int64_t>(count);
  return is_startable() || waited_ > samples_of(options_.prebuffer_wait_ms);
}

size_t Playout::pull_first(int16_t* out, size_t count) noexcept {
  return !playing_ && queue_.front() != nullptr && is_startable() ? pull(out, count) : 0;
}

void Playout::drop_flushed(uint32_t epoch, int16_t* out, size_t count, size_t& done) noexcept {
  bool faded = !playing_;
  while (const Chunk* front = queue_.front()) {
    const Chunk& chunk = *front;
    if (static_cast<int32_t>(chunk.epoch - epoch) >= 0) return;
    size_t left = chunk.size - front_offset_;
    if (!faded && done == 0) {
      size_t fade = std::min({left, count, static_cast<size_t>(samples_of(options_.fade_ms))});
      for (size_t i = 0; i < fade; ++i)
        out[i] = static_cast<int16_t>(chunk.samples[front_offset_ + i] * static_cast<int>(fade - i) /
                                      static_cast<int>(fade));
      done = fade;
      last_ = 0;
    }
    faded = true;
    playing_ = false;
    waited_ = 0;
    removed_.fetch_add(static_cast<int64_t>(left), std::memory_order_release);
    release_front();
  }
}

size_t Playout::pull(int16_t* out, size_t count) noexcept {
  pulling_.store(true);
  size_t faded = 0;
  drop_flushed(epoch_.load(), out, count, faded);
  size_t done = faded;
  if (queue_.front() && !playing_) {
    playing_ = may_start(count);
    if (playing_) waited_ = 0;
  }
  bool had_data = false;
  while (playing_ && done < count) {
    const Chunk* front = queue_.front();
    if (!front) break;
    const Chunk& chunk = *front;
    size_t part = std::min<size_t>(chunk.size - front_offset_, count - done);
    std::memcpy(out + done, chunk.samples + front_offset_, part * sizeof(int16_t));
    last_ = out[done + part - 1];
    done += part;
    had_data = true;
    front_offset_ += part;
    played_.fetch_add(static_cast<int64_t>(part), std::memory_order_release);
    removed_.fetch_add(static_cast<int64_t>(part), std::memory_order_release);
    if (front_offset_ == chunk.size) release_front();
  }
  size_t real = had_data ? done : faded;
  if (had_data) waited_ = 0;
  bool ran_out = playing_ && !queue_.front();
  if (ran_out && turn_ended_.load(std::memory_order_acquire)) {
    playing_ = false;
    waited_ = 0;
  }
  fill(out, count, done);
  pulling_.store(false);
  if (ran_out && had_data) drained_();
  return real;
}

void Playout::fill(int16_t* out, size_t count, size_t done) noexcept {
  if (done == count) return;
  size_t ramp = std::min(count - done, static_cast<size_t>(samples_of(options_.fade_ms)));
  for (size_t i = 0; i < count - done; ++i)
    out[done + i] = i < ramp
                        ? static_cast<int16_t>(last_ * static_cast<int>(ramp - i) / static_cast<int>(ramp))
                        : int16_t{0};
  last_ = 0;
  if (!playing_) return;
  if (waited_ == 0) underflows_.fetch_add(1, std::memory_order_relaxed);
  waited_ += static_cast<int64_t>(count - done);
  if (waited_ > samples_of(options_.rebuffer_after_ms)) {
    playing_ = false;
    waited_ = 0;
  }
}

}  // namespace patchbay::lib
