// The delay of audio frames to an isolated plugin and back, and the processor time of a call: passed when
// they arrive, and passed in ticks; compared with the same plugin file in this process.
#include <patchbay/plugin.h>
#include <patchbay/service.h>
#include <patchbay/services/audio.h>
#include <patchbay/strand.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <semaphore>
#include <thread>
#include <vector>

#include "abi/callee-plugin/callee.h"
#include "abi/stamp_probe.h"
#include "bench/callee_server.h"
#include "bench/pairs.h"

namespace {

using namespace patchbay;
using bench::die;
using callee::Callee;
using isolated::StampProbe;

constexpr size_t kCalls = 20;
constexpr auto kTime = std::chrono::seconds(8);
constexpr int kRounds = 3;

// A plugin in the server that joins ports of the measured plugin with its own.
class Joiner final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "joiner", "version": "1.0.0", "optional": ["test.callee/1", "patchbay.audio/1"]})";
  static constexpr char store_sql[] = "";
  static inline Joiner* newest = nullptr;

  Status start(const Config&) override {
    callee_ = std::make_unique<Service<Callee>>(host());
    audio_ = std::make_unique<Service<audio::Audio>>(host());
    newest = this;
    return {};
  }
  void stop(Done done) override {
    callee_.reset();
    audio_.reset();
    done();
  }

  void begin(bool paced) {
    for (size_t i = 0; i < kCalls; ++i) {
      const auto port = ask<callee::PortOf>(
          [&](auto reply) { callee_->call(Callee::stamp_port, callee::StampPort{paced}, std::move(reply)); });
      auto probe = std::make_unique<StampProbe>(host(), paced);
      joins_.push_back(ask<audio::Joined>([&](auto reply) {
        if (!probe->open(host())) die("no port");
        audio_->call(audio::Audio::join, {probe->handle(), port.port, "bench"}, std::move(reply));
      }));
      probes_.push_back(std::move(probe));
    }
  }
  std::vector<StampProbe::Delay> end() {
    std::vector<StampProbe::Delay> all;
    for (size_t i = 0; i < kCalls; ++i) {
      ask<Empty>([&](auto reply) { audio_->call(audio::Audio::leave, joins_[i], std::move(reply)); });
      ask<Empty>([&](auto reply) {
        probes_[i]->close([reply = std::move(reply)]() mutable { reply(Result<Empty>(Empty{})); });
      });
      const auto delays = probes_[i]->delays();
      all.insert(all.end(), delays.begin(), delays.end());
    }
    joins_.clear();
    probes_.clear();
    return all;
  }
  int64_t pid_of_callee() {
    return ask<callee::Said>([&](auto reply) {
             callee_->call(Callee::say, callee::Say{"", 1, 0, false, {}, {}}, std::move(reply));
           })
        .pid;
  }

 private:
  // Runs begin(reply) on the strand and waits for the reply.
  template <class T, class F>
  T ask(F begin) {
    std::binary_semaphore came{0};
    std::optional<Result<T>> answer;
    post(host(), kMainStrand, [&] {
      begin([&](Result<T> result) {
        answer.emplace(std::move(result));
        came.release();
      });
    });
    if (!came.try_acquire_for(std::chrono::seconds(10))) die("no answer");
    if (!*answer) die(answer->error().text);
    return *std::move(*answer);
  }

  std::unique_ptr<Service<Callee>> callee_;
  std::unique_ptr<Service<audio::Audio>> audio_;
  std::vector<audio::Joined> joins_;
  std::vector<std::unique_ptr<StampProbe>> probes_;
};

// The processor time of a process so far.
double cpu_seconds_of(int64_t pid) {
  double ns = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    double of_thread = 0;
    std::ifstream(task.path() / "schedstat") >> of_thread;
    ns += of_thread;
  }
  return ns / 1e9;
}

class Server {
 public:
  explicit Server(const std::string& section)
      : server_(section, &test::LinkedPlugin<Joiner>::entry, "joiner", {{"media", BENCH_MEDIA_PLUGIN}}),
        joiner_(Joiner::newest),
        callee_(joiner_->pid_of_callee()) {}

  void measure(const char* name, bool paced) {
    joiner_->begin(paced);
    const double began = cpu_now();
    std::this_thread::sleep_for(kTime);
    const double cpu = cpu_now() - began;
    std::vector<double> there, back;
    for (const StampProbe::Delay& delay : joiner_->end()) {
      there.push_back(static_cast<double>(delay.there_ns) / 1e6);
      back.push_back(static_cast<double>(delay.back_ns) / 1e6);
    }
    const auto part = [](std::vector<double>& of, double share) {
      std::sort(of.begin(), of.end());
      return of.empty() ? -1 : of[static_cast<size_t>(share * static_cast<double>(of.size() - 1))];
    };
    std::printf("%-28s %7zu %9.3f %9.3f %9.3f %9.3f %12.0f\n", name, there.size(), part(there, 0.5),
                part(there, 0.99), part(back, 0.5), part(back, 0.99),
                cpu * 1e6 / static_cast<double>(kCalls) / std::chrono::duration<double>(kTime).count());
    std::fflush(stdout);
  }

 private:
  double cpu_now() const {
    return bench::cpu_seconds_now() + (callee_ != ::getpid() ? cpu_seconds_of(callee_) : 0);
  }

  bench::CalleeServer server_;
  Joiner* joiner_;
  int64_t callee_;
};

}  // namespace

int main() {
  std::printf(
      "%zu calls with a frame of 20 ms each way, delays in ms, processor time in us per call and "
      "second\n%-28s %7s %9s %9s %9s %9s %12s\n",
      kCalls, "", "frames", "there p50", "p99", "back p50", "p99", "time");
  for (int round = 0; round < kRounds; ++round) {
    {
      Server here("{}");
      here.measure("in this process, on arrival", false);
      here.measure("in this process, in ticks", true);
    }
    Server apart("{isolation: process}");
    apart.measure("isolated, on arrival", false);
    apart.measure("isolated, in ticks", true);
  }
}
