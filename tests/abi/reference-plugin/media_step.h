#pragma once

#include <patchbay/audio.h>
#include <patchbay/descriptor.h>
#include <patchbay/media_loop.h>
#include <patchbay/strand.h>
#include <sys/eventfd.h>

#include <atomic>

#include "round.h"
#include "slot.h"

namespace reference {

// Produces 1, 2, 3 ... and counts the samples pushed to it. Passes what it produces to its sink.
class CountingPort final : public patchbay::AudioPort {
 public:
  uint32_t pull_rate_hz() const noexcept override { return 8000; }
  uint32_t push_rate_hz() const noexcept override { return 8000; }
  void attached(uint32_t) noexcept override { attached_ = true; }
  void pull(pb_frame& out) noexcept override {
    out.samples = out.capacity;
    for (uint32_t i = 0; i < out.capacity; ++i) out.pcm[i] = static_cast<int16_t>(i + 1);
    if (sink_) sink_(out);
  }
  void push(const pb_frame& in) noexcept override { heard_ += in.samples; }
  void detached() noexcept override { attached_ = false; }
  bool stream_to(const patchbay::FrameSink& sink) noexcept override {
    sink_ = sink;
    return true;
  }

  patchbay::FrameSink sink_;
  std::atomic<bool> attached_{false};
  std::atomic<uint32_t> heard_{0};
};

// Reads a descriptor and runs a timer on a media loop.
class LoopCalls {
 public:
  explicit LoopCalls(const Host& host)
      : host_(host), event_(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)), watch_(host), timer_(host) {}

  Status start() {
    PB_TRY(watch_.open<&LoopCalls::on_ready>(event_.get(), *this));
    PB_TRY(timer_.open<&LoopCalls::on_due>(*this));
    REFERENCE_EXPECT(watch_.set(PB_READY_READ) == Code::misuse);  // on a strand
    REFERENCE_EXPECT(patchbay::post_to_loop<&LoopCalls::on_loop>(host_, host_.media->loops, *this) ==
                     Code::not_found);
    return expect(patchbay::post_to_loop<&LoopCalls::on_loop>(host_, 0, *this) == Code::ok,
                  "a task is posted to a media loop");
  }
  const std::atomic<bool>& called() const { return called_; }
  template <class F>
  void close(F done) {
    watch_.close([this, done = std::move(done)]() mutable { timer_.close(std::move(done)); });
  }

 private:
  // [media]
  void on_loop() noexcept { static_cast<void>(watch_.set(PB_READY_READ)); }
  void on_ready(const pb_ready& ready) {
    if ((ready.events & PB_READY_READ) == 0 || ready.fd != event_.get()) return;
    static_cast<void>(watch_.set(0));
    static_cast<void>(timer_.set(ready.time_ns + 2'000'000));
  }
  void on_due(const pb_tick&) { called_ = true; }

  const Host& host_;
  const patchbay::Descriptor event_;  // readable
  patchbay::LoopWatch watch_;
  patchbay::LoopTimer timer_;
  std::atomic<bool> called_{false};
};

// Opens its port and joins it to itself on a media loop for one tick. Then post, descriptor and timer on a
// loop.
class MediaStep final : public Step {
 public:
  explicit MediaStep(const Host& host) : host_(host), look_(host), calls_(host) {}

  void run(Next next) override {
    next_ = std::move(next);
    port_.open(host_);
    opening_ = host_.media->port_open(host_.self, port_.handle().id, &table_, &self_);
    if (opening_ == 0) return next_({Code::failed, "a port cannot be opened"});
    attachment_ = host_.media->attach(host_.self, PB_LOOP_ANY, &MediaStep::tick, this);
    if (attachment_ == 0) return next_({Code::failed, "no media loop"});
    wait_for(ticked_, [this] {
      host_.media->detach(
          host_.self, attachment_, [](void* user) noexcept { static_cast<MediaStep*>(user)->over_ = true; },
          this);
      wait_for(over_, [this] { finish(); });
    });
  }

 private:
  static constexpr uint32_t kSamples = 160;

  // [media]
  static void tick(void* user, const pb_tick* tick) noexcept {
    auto* self = static_cast<MediaStep*>(user);
    if (self->ticked_) return;
    self->on_loop_ = self->host_.runtime->thread_kind(self->host_.self) == PB_THREAD_MEDIA;
    int16_t pcm[kSamples] = {};
    pb_frame frame{};
    frame.size = sizeof frame;
    frame.tick = tick->number;
    frame.time_ns = tick->time_ns;
    frame.rate_hz = 8000;
    frame.capacity = kSamples;
    frame.pcm = pcm;
    use<&pb_port::attached>(self->table_)(self->self_, tick->loop);
    self->was_attached_ = self->port_.attached_.load();
    // An older core has no such function.
    if (PB_HAS(self->table_, stream_to))
      self->streams_ =
          use<&pb_port::stream_to>(self->table_)(self->self_, PB_PORT_UNPACED, &MediaStep::take, self) != 0;
    use<&pb_port::pull>(self->table_)(self->self_, &frame);
    self->pulled_ = frame.samples == kSamples && pcm[kSamples - 1] == static_cast<int16_t>(kSamples);
    use<&pb_port::push>(self->table_)(self->self_, &frame);
    if (self->streams_) self->table_->stream_to(self->self_, 0, nullptr, nullptr);
    use<&pb_port::detached>(self->table_)(self->self_);
    self->ticked_ = true;
  }

  static void take(void* user, const pb_frame* frame) noexcept {
    static_cast<MediaStep*>(user)->taken_ += frame->samples;
  }

  // Polls the flag, which a media loop sets.
  template <class F>
  void wait_for(const std::atomic<bool>& flag, F then) {
    if (flag) return then();
    look_.after_ms(5, [this, &flag, then] { wait_for(flag, then); });
  }

  void finish() {
    host_.media->port_release(host_.self, opening_);
    const bool well = on_loop_ && was_attached_ && pulled_ && port_.heard_ == kSamples && !port_.attached_ &&
                      taken_ == (streams_ ? kSamples : 0);
    port_.close([this, well] {
      const Status joined = expect(well, "a port is pulled from and pushed to on a media loop");
      if (!joined || !PB_HAS(host_.media, loop_post)) return next_(joined);  // an older core
      const Status started = calls_.start();
      if (!started) return next_(started);
      wait_for(calls_.called(), [this] { calls_.close([this] { next_({}); }); });
    });
  }

  const Host& host_;
  patchbay::Timer look_;
  LoopCalls calls_;
  CountingPort port_;
  const pb_port* table_ = nullptr;
  void* self_ = nullptr;
  uint64_t opening_ = 0, attachment_ = 0;
  std::atomic<bool> ticked_{false}, over_{false};
  bool on_loop_ = false, was_attached_ = false, pulled_ = false, streams_ = false;
  uint32_t taken_ = 0;
  Next next_;
};

}  // namespace reference
