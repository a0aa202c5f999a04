#include "plugin_run/trial_run.h"

#include <patchbay/testing/fake_audio.h>
#include <patchbay/testing/fake_host.h>

#include <chrono>
#include <cstdio>

#include "exit_code.h"
#include "plugin_run/provider_plugins.h"
#include "plugin_run/slow_step_notice.h"
#include "plugin_run/wav_player.h"
#include "runtime/crash_banner.h"
#include "stop_signals.h"
#include "terminal_text.h"

namespace patchbay::app {
namespace {

using std::chrono::steady_clock;
using testing::FakeHost;

constexpr std::chrono::milliseconds kPollInterval(50);
constexpr int64_t kTailMs = 1000;
constexpr std::chrono::seconds kPortTimeout(5);

testing::Options options_of(const Trial& trial) {
  testing::Options options;
  options.real_time = true;
  options.echo = true;
  options.folder = trial.data;
  options.wait_ms = trial.deadline_ms;
  return options;
}

// A running trial. Prints one line per event on standard output; the first word says what it is, for scripts.
class TrialRun {
 public:
  explicit TrialRun(const Trial& trial)
      : trial_(trial), host_(trial.file, options_of(trial)), end_(end_of(trial)) {}

  int run() {
    for (const std::string& secret : trial_.secrets)
      host_.host().observe->secret_add(host_.host().self, to_abi(secret));
    if (const Status begun = start_providers(); !begun) return refused("--with: " + begun.error().text);
    provide_fake_audio();
    const Status started = start();
    if (!started) return refused("it did not start: " + started.error().text + fix_of(started.error()));
    print_routes();
    for (const NewEvent& event : trial_.events) host_.publish(event);
    for (const TrialRequest& request : trial_.requests) ask(request);
    const int code = run_until_done();
    const Status stopped = stop();
    print_new_events();
    if (!stopped) return refused("it did not stop: " + stopped.error().text);
    return code != kDone || problems_ > 0 ? kRefused : kDone;
  }

 private:
  static std::optional<steady_clock::time_point> end_of(const Trial& trial) {
    if (trial.lasts_ms == 0) return std::nullopt;
    return steady_clock::now() + std::chrono::milliseconds(trial.lasts_ms);
  }
  static std::string fix_of(const Error& error) {
    const bool lacks =
        error.code == Code::unavailable && error.text.find("provide() it first") != std::string::npos;
    return lacks ? "; on this command line: --with <the .so of a plugin that provides it>" : "";
  }
  static int refused(const std::string& why) {
    std::fprintf(stderr, "patchbay: %s\n", harmless(why).c_str());
    return kRefused;
  }

  std::string waiting_for(const std::string& what) const {
    return "still waiting for " + what + "; each step has " + std::to_string(trial_.deadline_ms / 1000) +
           " s";
  }
  Status start_providers() {
    const SlowStepNotice notice(waiting_for("the plugins of --with to start"));
    return providers_.start(trial_.providers);
  }
  Status start() {
    const SlowStepNotice notice(waiting_for("its start to end"));
    return host_.start(trial_.plugin, trial_.tenants);
  }
  // Provides patchbay.audio when the plugin uses it, unless a plugin of --with or the plugin itself provides
  // it.
  void provide_fake_audio() {
    if (host_.manifest().find(audio::Audio::id) == std::string::npos) return;
    if (providers_.provide(audio::Audio::id)) return;
    const auto manifest = host_.host().parse_json(host_.manifest());
    const JsonView provides = manifest ? (*manifest)["provides"] : JsonView();
    for (size_t i = 0; i < provides.size(); ++i)
      if (provides.at(i).text() == audio::Audio::id) return;
    audio_.emplace(host_);
  }
  void print_routes() {
    if (!host_.has_http()) return;
    for (const http::Route& route : host_.http().routes())
      std::printf("route %s %s%s%s (%s): %s\n", route.method.c_str(), harmless(route.path).c_str(),
                  route.discriminator.empty() ? "" : "?", route.discriminator.c_str(), route.role.c_str(),
                  harmless(route.summary).c_str());
    std::fflush(stdout);
  }
  void ask(const TrialRequest& request) {
    testing::Ask question{request.method, request.target, request.body};
    question.is_super = true;
    const http::Response answer = host_.ask(question);
    std::printf("answer %s %s: %d %s\n", request.method.c_str(), harmless(request.target).c_str(),
                static_cast<int>(answer.status),
                harmless(answer.bytes.size() > 0 ? std::string(answer.bytes.view()) : answer.body).c_str());
    std::fflush(stdout);
  }
  void print_new_events() {
    for (const testing::RecordedEvent& event : host_.new_events())
      std::printf("%s %s %s %s\n", event.durable() ? "emitted" : "published", event.topic.c_str(),
                  event.subject.empty() ? "-" : harmless(event.subject).c_str(),
                  harmless(event.payload).c_str());
    const auto problems = host_.problems();
    for (; problems_ < problems.size(); ++problems_)
      std::printf("problem %s: %s\n", problems[problems_].name.c_str(),
                  harmless(problems[problems_].text).c_str());
    std::fflush(stdout);
  }

  // Returns the exit code after a signal, the time of --for or the end of the sound.
  int run_until_done() {
    const auto port_deadline = steady_clock::now() + kPortTimeout;
    for (;;) {
      print_new_events();
      if (trial_.wav && !player_ && !start_playing(steady_clock::now() > port_deadline)) return kRefused;
      if (player_ && player_->finished() && !trial_.lasts_ms) return kDone;
      if (end_ && steady_clock::now() >= *end_) return kDone;
      if (signals_.wait_for(kPollInterval) > 0) return kDone;
    }
  }
  bool start_playing(bool too_late) {
    const auto ports = host_.ports();
    if (ports.empty() && too_late)
      refused(
          "--pcm: the plugin made no audio port within 5 s; when it opens ports on an event or request, give "
          "that with --publish or --ask");
    if (ports.empty()) return !too_late;
    auto player = WavPlayer::start(host_.host(), {ports.front().handle}, *trial_.wav, kTailMs);
    if (!player) {
      refused("--pcm: " + player.error().text);
      return false;
    }
    player_ = *std::move(player);
    std::printf("port takes %u Hz, gives %u Hz\n", ports.front().push_rate_hz, ports.front().pull_rate_hz);
    std::fflush(stdout);
    return true;
  }
  Status stop() {
    signals_.restore_defaults();
    if (player_) write_recording();
    player_.reset();
    const SlowStepNotice notice(waiting_for("its drain and stop to end"));
    PB_TRY(host_.drain());
    PB_TRY(host_.stop());
    return providers_.stop();
  }
  void write_recording() const {
    if (trial_.wav_out.empty()) return;
    if (!player_->finished())
      return static_cast<void>(refused("--pcm-out: stopped before the sound was over"));
    const Wav recorded = player_->recorded();
    if (recorded.rate_hz == 0) return static_cast<void>(refused("--pcm-out: the port produces no audio"));
    if (const Status written = write_wav(trial_.wav_out, recorded); !written)
      refused("--pcm-out: " + written.error().text);
  }

  const Trial& trial_;
  StopSignals signals_;  // constructed before the host starts threads
  FakeHost host_;
  ProviderPlugins providers_{host_};
  std::optional<testing::FakeAudio> audio_;
  std::unique_ptr<WavPlayer> player_;
  const std::optional<steady_clock::time_point> end_;
  size_t problems_ = 0;
};

}  // namespace

int run_trial(const Trial& trial) {
  core::install_crash_banner();
  TrialRun run(trial);
  return run.run();
}

}  // namespace patchbay::app
