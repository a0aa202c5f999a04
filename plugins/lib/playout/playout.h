// Buffers speech between an engine, which delivers an answer much faster than it is spoken, and a media loop,
// which pulls 20 ms at a time. Mono 16-bit samples at the engine's rate; the media side resamples.
//
// Threads: one engine thread (push, end_turn, flush, turn, drained), one media thread (pull, wait-free).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "playout/chunk_queue.h"

namespace patchbay::lib {

class Playout {
 public:
  struct Options {
    int rate_hz = 24000;
    int prebuffer_ms = 80;        // an answer starts when this much is buffered,
    int prebuffer_wait_ms = 120;  // or after this wait, or when the answer has ended
    int rebuffer_after_ms = 400;  // after a longer gap inside an answer, buffers again
    int max_ms =
        120000;       // capacity, less for an answer in tiny parts; samples beyond it are dropped and counted
    int fade_ms = 5;  // fade-out at a flush
  };
  // The current answer: how much audio the engine delivered, and how much of it the media side pulled. Filler
  // and the fade after a flush do not count as played.
  struct Turn {
    int64_t received_ms = 0;
    int64_t played_ms = 0;
  };
  struct Counters {
    uint64_t underflows = 0;
    uint64_t dropped_samples = 0;
  };

  explicit Playout(Options options);
  Playout(const Playout&) = delete;
  Playout& operator=(const Playout&) = delete;

  // [engine] The first push after end_turn() or flush() begins a new turn. Returns the number of samples
  // accepted.
  size_t push(const int16_t* samples, size_t count);
  void end_turn();
  // Drops everything not yet played; the media side fades out within fade_ms. Returns what was actually
  // played of the turn.
  Turn flush();
  Turn turn() const;
  bool drained() const;
  int64_t buffered_ms() const;
  Counters counters() const;

  // [media, wait-free] Always fills `out`; returns how many samples at its start came from the engine.
  size_t pull(int16_t* out, size_t count) noexcept;
  // [media, wait-free] The same, but returns 0 and takes nothing unless an answer begins with these samples.
  size_t pull_first(int16_t* out, size_t count) noexcept;

  // Sets a hook that the media thread calls when the last sample was played; it must be wait-free.
  // Set hooks before media starts.
  void on_drained(void (*hook)(void*), void* context) { drained_ = {hook, context}; }
  // Sets a hook that the engine's thread calls when enough is buffered for an answer to begin.
  void on_startable(void (*hook)(void*), void* context) { startable_ = {hook, context}; }

 private:
  int64_t to_ms(int64_t samples) const { return samples * 1000 / options_.rate_hz; }
  int64_t samples_of(int ms) const { return int64_t{ms} * options_.rate_hz / 1000; }
  struct Hook {
    void (*call)(void*) = nullptr;
    void* context = nullptr;
    void operator()() const {
      if (call != nullptr) call(context);
    }
  };
  int64_t buffered_samples() const noexcept;
  bool is_startable() const noexcept;
  bool may_start(size_t count) noexcept;
  void drop_flushed(uint32_t epoch, int16_t* out, size_t count, size_t& done) noexcept;
  void release_front() noexcept;
  void fill(int16_t* out, size_t count, size_t done) noexcept;

  const Options options_;
  Hook drained_;
  Hook startable_;

  // Shared.
  ChunkQueue queue_;
  std::atomic<uint32_t> epoch_{0};
  std::atomic<bool> pulling_{false};
  std::atomic<bool> turn_ended_{true};
  std::atomic<int64_t> pushed_{0};   // samples ever queued
  std::atomic<int64_t> removed_{0};  // samples ever removed, played or dropped
  std::atomic<int64_t> played_{0};
  std::atomic<uint64_t> underflows_{0};

  // Engine thread.
  int64_t playable_ = 0;    // value of played_ when the queue will have drained
  int64_t turn_start_ = 0;  // value of played_ when the turn's first sample is due
  int64_t turn_received_ = 0;
  int64_t turn_played_at_flush_ = -1;
  bool in_turn_ = false;
  uint64_t dropped_ = 0;

  // Media thread.
  size_t front_offset_ = 0;
  bool playing_ = false;
  int64_t waited_ = 0;  // samples of filler since data began to wait or ran out
  int16_t last_ = 0;
};

}  // namespace patchbay::lib
