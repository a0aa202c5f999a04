// Player: plays samples into the pull() of an audio port, and reports on the main strand when they are
// played. VoicePort (voice_port.h) is a port with a Player and a Recorder.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "function.h"
#include "host.h"

namespace patchbay {

// Main strand, except pull(). Must live until the port that it is played into has been closed.
class Player {
 public:
  explicit Player(const Host& host) : host_(&host) {}
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  // Plays these samples, which have the rate of the port, instead of what was played before. Calls done()
  // once the port has taken the last one, never after stop() or a further play(). As long as the port is
  // joined to no other, it waits.
  void play(std::vector<int16_t> samples, Function<void()> done = {}) {
    begin(std::move(samples), false, std::move(done));
  }
  // Plays them again and again, until stop() or a further play().
  void repeat(std::vector<int16_t> samples) {
    const bool empty = samples.empty();
    begin(std::move(samples), !empty, {});
  }
  // Ends it at once; done() is not called.
  void stop() {
    done_ = {};
    current_.store(nullptr);
    retire();
  }
  // Whether something is being played.
  bool playing() const noexcept { return current_.load() != nullptr; }

  // [media] Fills the frame, with silence once everything is played.
  void pull(pb_frame& out) noexcept {
    in_pull_.store(true);
    Clip* clip = current_.load();
    const size_t given = clip == nullptr ? 0 : fill(*clip, out);
    out.samples = out.capacity;
    if (given == 0) out.flags |= PB_FRAME_SILENCE;
    std::memset(out.pcm + given, 0, (out.capacity - given) * sizeof(int16_t));
    // The exchange fails when the strand has replaced the clip.
    const bool is_over = clip != nullptr && !clip->repeats && clip->at == clip->samples.size();
    if (is_over && current_.compare_exchange_strong(clip, nullptr)) {
      finished_.store(clip->serial);
      unreported_ = true;
    }
    if (unreported_)  // the strand's queue may be full: then the next frame tries again
      unreported_ = host_->runtime->strand_post(host_->self, kMainStrand, &Player::deliver, this) != PB_OK;
    in_pull_.store(false);
  }

 private:
  struct Clip {
    std::vector<int16_t> samples;
    bool repeats = false;
    uint64_t serial = 0;
    size_t at = 0;  // [media]
  };

  void begin(std::vector<int16_t> samples, bool repeats, Function<void()> done) {
    stop();
    done_ = std::move(done);
    clips_.push_back(std::make_unique<Clip>(Clip{std::move(samples), repeats, ++last_serial_, 0}));
    current_.store(clips_.back().get());
  }
  // Frees the clips that the loop cannot use any more: none is in use while no pull() runs, because a pull()
  // that begins later loads current_ anew.
  void retire() {
    if (in_pull_.load()) return;  // freed by the next call, or the destructor
    const Clip* kept = current_.load();
    clips_.erase(std::remove_if(clips_.begin(), clips_.end(),
                                [&](const std::unique_ptr<Clip>& each) { return each.get() != kept; }),
                 clips_.end());
  }
  // [media]
  static size_t fill(Clip& clip, const pb_frame& out) noexcept {
    size_t given = 0;
    while (given < out.capacity) {
      if (clip.at == clip.samples.size()) {
        if (!clip.repeats) break;
        clip.at = 0;
      }
      const size_t count = std::min<size_t>(out.capacity - given, clip.samples.size() - clip.at);
      std::copy_n(clip.samples.data() + clip.at, count, out.pcm + given);
      clip.at += count;
      given += count;
    }
    return given;
  }
  static void deliver(void* user) noexcept {
    auto* self = static_cast<Player*>(user);
    // The end of a clip that was replaced meanwhile is none of the current one.
    if (self->finished_.load() != self->last_serial_) return;
    self->retire();
    const Function<void()> done = std::move(self->done_);
    self->done_ = {};
    if (done) guard_void([&] { done(); }, [&](const char* text) { self->host_->log_thrown("player", text); });
  }

  const Host* host_;
  std::vector<std::unique_ptr<Clip>> clips_;
  Function<void()> done_;
  uint64_t last_serial_ = 0;
  // Both in one order for both threads (sequentially consistent).
  std::atomic<Clip*> current_{nullptr};
  std::atomic<bool> in_pull_{false};
  std::atomic<uint64_t> finished_{0};  // serial of the latest clip that was played whole
  bool unreported_ = false;            // [media]
};

}  // namespace patchbay
