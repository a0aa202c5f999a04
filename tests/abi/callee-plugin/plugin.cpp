#include <patchbay/audio.h>
#include <patchbay/bus.h>
#include <patchbay/end_watch.h>
#include <patchbay/plugin.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "callee.h"

namespace patchbay::callee {
namespace {

class EchoPort final : public AudioPort {
 public:
  uint32_t pull_rate_hz() const noexcept override { return 16000; }
  uint32_t push_rate_hz() const noexcept override { return 16000; }
  void push(const pb_frame& in) noexcept override {
    if ((in.flags & PB_FRAME_SILENCE) == 0 && in.samples > 0) last_ = in.pcm[0];
  }
  void pull(pb_frame& out) noexcept override {
    out.samples = out.capacity;
    std::fill_n(out.pcm, out.samples, static_cast<int16_t>(last_ + 1));
  }
  void attached(uint32_t) noexcept override { last_ = 0; }

 private:
  int16_t last_ = 0;  // [media]
};

class StampingPort final : public AudioPort {
 public:
  explicit StampingPort(bool paced) : paced_(paced) {}
  uint32_t pull_rate_hz() const noexcept override { return 16000; }
  uint32_t push_rate_hz() const noexcept override { return 16000; }
  uint32_t push_flags() const noexcept override { return paced_ ? 0 : PB_PORT_UNPACED; }
  void push(const pb_frame& in) noexcept override {
    if ((in.flags & PB_FRAME_SILENCE) != 0 || in.samples != pcm_.size()) return;
    std::copy_n(in.pcm, in.samples, pcm_.begin());
    Stamps stamps{};
    std::memcpy(&stamps, pcm_.data(), sizeof stamps);
    stamps.received_ns = std::chrono::steady_clock::now().time_since_epoch().count();
    std::memcpy(pcm_.data(), &stamps, sizeof stamps);
    has_frame_ = true;
    if (!sink_) return;
    has_frame_ = false;
    pb_frame frame = in;
    frame.pcm = pcm_.data();
    sink_(frame);
  }
  void pull(pb_frame& out) noexcept override {
    out.samples = out.capacity;
    if (!std::exchange(has_frame_, false)) {
      out.flags |= PB_FRAME_SILENCE;
    } else {
      std::copy_n(pcm_.begin(), out.samples, out.pcm);
    }
  }
  bool stream_to(const FrameSink& sink) noexcept override {
    sink_ = paced_ ? FrameSink() : sink;
    return static_cast<bool>(sink_);
  }

 private:
  const bool paced_;
  // state of the media loop
  FrameSink sink_;
  std::array<int16_t, 320> pcm_{};
  bool has_frame_ = false;
};

// The targets of the descriptors above 3.
std::vector<std::string> open_files() {
  std::vector<std::string> found;
  for (int fd = 4; fd < 1024; ++fd) {
    char path[256];
    const ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path);
    if (size > 0) found.emplace_back(path, static_cast<size_t>(size));
  }
  return found;
}

// False for event counters, timers, memory and the like, which a process opens for itself.
bool has_path(const std::string& file) { return !file.empty() && file.front() == '/'; }

class CalleePlugin final : public Plugin {
  Status start(const Config& config) override {
    word_ = config.plugin().text("word", "");
    const std::string why(config.plugin().text("refuse", ""));
    if (!why.empty()) return {Code::unavailable, why};
    PB_TRY_VALUE(ping_, Subscription::open(host(), "test.ping", [this](const Event& event) {
                   log().with(event.correlation()).info("ping", {{"subject", event.subject()}});
                   JsonWriter data;
                   data.object().member("to", event.tenant()).end();
                   publish(host(), {"test.pong", std::string(event.tenant()), std::string(event.subject()),
                                    "", data.str()});
                 }));
    service_ = std::make_unique<Provision<Callee>>(host());
    service_
        ->on(Callee::say, [this](Say say, Reply<Said> reply) { answer(std::move(say), std::move(reply)); })
        .on(Callee::never, [this](Say, Reply<Said> reply) { kept_.push_back(std::move(reply)); })
        .on(Callee::port,
            [this](Empty) -> Result<PortOf> {
              if (!port_.handle()) port_.open(host());
              return PortOf{port_.handle()};
            })
        .on(Callee::stamp_port,
            [this](StampPort kind) -> Result<PortOf> {
              stamping_.push_back(std::make_unique<StampingPort>(kind.paced));
              return PortOf{stamping_.back()->open(host())};
            })
        .on(Callee::close_port,
            [this](Empty, Reply<Empty> reply) {
              port_.close([reply = std::move(reply)]() mutable { reply(Empty{}); });
            })
        .on(Callee::say_inline, [](Say say) -> Result<Said> { return said(say, say.text); })
        .on(Callee::word, [this](Empty) -> Result<Said> { return said({}, word_); })
        .on(Callee::left,
            [this](Empty) -> Result<Said> {
              return Said{"", left_, 0, {}, ::getpid()};
            })
        .on(Callee::surroundings, [](Empty) -> Result<Said> { return surroundings(); });
    return service_->publish();
  }

  Status check_config(const Config& config) override {
    if (config.plugin().text("word", "") == "bad") return {Code::invalid, "the word is bad"};
    return {};
  }
  void reconfigure(const Config& config) override { word_ = config.plugin().text("word", ""); }

  static Said surroundings() {
    Said all;
    for (char** each = environ; *each != nullptr; ++each) all.text += std::string(*each) + "\n";
    for (const std::string& file : open_files()) {
      all.text += file + "\n";
      if (has_path(file) || file.rfind("socket:", 0) == 0) ++all.number;
    }
    return all;
  }

  void stop(Done done) override {
    kept_.clear();
    listener_gone_ = {};
    service_.reset();
    ping_ = {};
    close_ports(std::move(done));
  }

  void close_ports(Done done) {
    if (!stamping_.empty()) {
      StampingPort& last = *stamping_.back();
      return last.close([this, done = std::move(done)]() mutable {
        stamping_.pop_back();
        close_ports(std::move(done));
      });
    }
    if (!port_.handle()) return done();
    port_.close([done = std::move(done)]() mutable { done(); });
  }

  static Said said(const Say& say, std::string text) {
    return {std::move(text), say.number + 1, say.ratio * 2, say.bytes, ::getpid()};
  }

  void answer(Say say, Reply<Said> reply) {
    if (say.number < 0) return reply.fail({Code::invalid, "the number is negative"});
    const std::string text = say.text + (say.loud ? "!" : "");
    if (!say.listener) return reply(said(say, text));
    listener_gone_ = EndWatch(host(), say.listener, [this] { ++left_; });
    lease_ = Lease<Listener>::open(host(), say.listener);
    lease_.call(Listener::told, said(say, text), [say, reply = std::move(reply)](Result<Said> told) mutable {
      if (!told) return reply.fail(told.error());
      reply(said(say, told->text));
    });
  }

  std::string word_;
  std::unique_ptr<Provision<Callee>> service_;
  Lease<Listener> lease_;
  EndWatch listener_gone_;
  int64_t left_ = 0;
  std::vector<Reply<Said>> kept_;
  Subscription ping_;
  EchoPort port_;
  std::vector<std::unique_ptr<StampingPort>> stamping_;
};

}  // namespace
}  // namespace patchbay::callee

PATCHBAY_PLUGIN(patchbay::callee::CalleePlugin)
