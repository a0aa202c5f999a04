// patchbay plugin run: the program's output and exit code.
#include <doctest/doctest.h>

#include <cmath>
#include <csignal>
#include <filesystem>

#include "exit_code.h"
#include "integration/program.h"
#include "plugin_run/wav_file.h"

using namespace patchbay;
using test::Program;

namespace {

constexpr const char* kTrial = TEST_TRIAL_PLUGIN;
constexpr const char* kTrialAgain = TEST_TRIAL_PLUGIN_AGAIN;
using Words = std::vector<std::string>;

struct Ended {
  int code;
  std::string output;
};

Ended run(const Program& program, Words words) {
  Words all{"plugin", "run"};
  all.insert(all.end(), words.begin(), words.end());
  auto child = program.run(all);
  return {child.wait(test::kPatience).value_or(-1), program.output()};
}

bool has(const Ended& ended, const std::string& words) {
  if (ended.output.find(words) != std::string::npos) return true;
  MESSAGE(ended.output);
  return false;
}

}  // namespace

TEST_CASE("a plugin's log lines and events are printed") {
  const Program program("");
  const auto ended = run(program, {kTrial, "--publish", R"(trial.asked {"callId": "c-1"})", "--for", "0.1"});
  CHECK(ended.code == app::kDone);
  CHECK(has(ended, "trial-plugin begun build=first"));
  CHECK(has(ended, R"(published trial.heard c-1 {"callId": "c-1"})"));
}

TEST_CASE("routes are listed and can be requested") {
  const Program program("");
  const auto ended = run(program, {TEST_NOTES, "--ask", R"(POST /api.ashx/v1/notes {"text": "milk"})",
                                   "--ask", "GET /api.ashx/v1/notes?limit=1", "--for", "0.1"});
  CHECK(ended.code == app::kDone);
  CHECK(has(ended, "route GET /api.ashx/v1/notes (user): Lists the notes, newest first"));
  CHECK(has(ended, "answer POST /api.ashx/v1/notes: 200 {\"id\":1,\"text\":\"milk\""));
  CHECK(has(ended, "\"total\":1,\"limit\":1"));
  CHECK(has(ended, "emitted note.added notes"));
}

TEST_CASE("the plugin's section of a server's configuration is used, and its secrets are redacted") {
  const Program program(
      "plugins:\n  rest-api: {listen: x}\n  trial-plugin: {token: Open-Sesame-0123456789}\n");
  const auto ended = run(program, {kTrial, "--config", "patchbay.yaml", "--for", "0.1"});
  CHECK(ended.code == app::kDone);
  CHECK(has(ended, "value=[redacted]"));
  program.write("plugins:\n  trial-plugin: {tokn: x}\n");
  const auto wrong = run(program, {kTrial, "-c", "patchbay.yaml"});
  CHECK(wrong.code == app::kConfiguration);
  CHECK(
      has(wrong, "patchbay.yaml:2:18: plugins.trial-plugin.tokn is not a known field; did you mean token?"));
  program.write("plugins: {}\n");
  CHECK(has(run(program, {kTrial, "-c", "patchbay.yaml"}),
            "--config: patchbay.yaml has no plugins.trial-plugin"));
}

TEST_CASE("required plugins can run with it, each with its section of the configuration") {
  const Program program("plugins:\n  dial-hours: {}\n  notes: {}\n  trial-plugin: {token: open-sesame}\n");
  const auto ended = run(program, {kTrial, "--with", TEST_NOTES, "--config", "patchbay.yaml", "--ask",
                                   R"(POST /api.ashx/v1/notes {"text": "milk"})", "--for", "0.1"});
  CHECK(ended.code == app::kDone);
  CHECK(has(ended, "route GET /api.ashx/v1/notes (user)"));
  CHECK(has(ended, "answer POST /api.ashx/v1/notes: 200 {\"id\":1,\"text\":\"milk\""));
  CHECK(has(ended, "trial-plugin begun"));
  const auto missing = run(program, {kTrial, "--with", "nowhere.so", "--for", "0.1"});
  CHECK(missing.code == app::kConfiguration);
  CHECK(has(missing, "nowhere.so: "));
}

TEST_CASE("a sound is played into the plugin's port, and the port's output is recorded") {
  const Program program("");
  app::Wav tone{16000, {}};
  for (int i = 0; i < 16000; ++i)
    tone.samples.push_back(static_cast<int16_t>(10000 * std::sin(2 * 3.14159265 * 440 * i / 16000)));
  REQUIRE(app::write_wav(program.folder.file("in.wav"), tone));
  const auto ended = run(program, {kTrial, "--pcm", "in.wav", "--pcm-out", "out.wav"});
  CHECK(ended.code == app::kDone);
  CHECK(has(ended, "port takes 8000 Hz, gives 8000 Hz"));
  const auto heard = app::read_wav(program.folder.file("out.wav"));
  REQUIRE(heard.ok());
  CHECK(heard->rate_hz == 8000);
  CHECK(heard->samples.size() >= 15 * 1000);
  double power = 0;
  for (size_t i = 1600; i < 6400; ++i) power += double(heard->samples[i]) * heard->samples[i];
  CHECK(std::sqrt(power / 4800) == doctest::Approx(7071).epsilon(0.05));
  CHECK(heard->samples.back() == 0);
}

TEST_CASE("playing a sound fails when the plugin opens no port") {
  const Program program("plugins: {trial-plugin: {port: false}}\n");
  REQUIRE(app::write_wav(program.folder.file("in.wav"), {8000, {1, 2, 3}}));
  const auto ended = run(program, {kTrial, "-c", "patchbay.yaml", "--pcm", "in.wav"});
  CHECK(ended.code == app::kRefused);
  CHECK(has(ended, "--pcm: the plugin made no audio port within 5 s"));
}

TEST_CASE("a start that hangs is reported while it runs, and ends with its deadline") {
  const Program program("plugins: {trial-plugin: {hang: true}}\n");
  const auto begun = std::chrono::steady_clock::now();
  const auto ended = run(program, {kTrial, "-c", "patchbay.yaml", "--deadline", "4"});
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(25));
  CHECK(ended.code == app::kRefused);
  CHECK(has(ended, "patchbay: still waiting for its start to end; each step has 4 s"));
  CHECK(has(ended, "patchbay: it did not start: start timed out"));
}

TEST_CASE("a changed file is started again in a new process") {
  const Program program("");
  const std::string file = program.folder.file("trial-plugin.so");
  std::filesystem::copy_file(kTrial, file);
  auto child = program.run({"plugin", "run", "trial-plugin.so", "--watch"});
  REQUIRE(program.says("begun build=first"));
  // As a linker does: a new file under the old name.
  std::filesystem::copy_file(kTrialAgain, program.folder.file("new"));
  std::filesystem::rename(program.folder.file("new"), file);
  CHECK(program.says("trial-plugin.so has changed: starting it again"));
  CHECK(program.says("begun build=second"));
  child.signal(SIGTERM);
  CHECK(child.wait(test::kPatience) == app::kDone);
}

TEST_CASE("errors on the command line name the option") {
  const Program program("");
  std::ofstream(program.folder.file("text.wav")) << "no sound";
  const std::pair<Words, const char*> wrong[] = {
      {{"--publish", "not/a topic"}, "--publish: 'not/a' is not a topic"},
      {{"--publish", "call.answered {x"}, "--publish: call.answered: what follows is no JSON"},
      {{"--ask", "GET"}, "--ask: 'GET' is no request"},
      {{"--pcm", "text.wav"}, "--pcm: text.wav is not a WAV file"},
      {{"--pcm", "missing.wav"}, "--pcm: missing.wav cannot be read"},
      {{"--pcm-out", "out.wav"}, "--pcm-out: needs --pcm"},
      {{"--for", "-1"}, "--for: seconds are not negative"},
  };
  for (const auto& [words, sentence] : wrong) {
    for (const bool watch : {false, true}) {
      Words all{kTrial};
      all.insert(all.end(), words.begin(), words.end());
      if (watch) all.push_back("--watch");
      const auto ended = run(program, all);
      CHECK(ended.code == app::kUsage);
      CHECK(has(ended, sentence));
    }
  }
  const auto no_plugin = run(program, {"/bin/true"});
  CHECK(no_plugin.code == app::kConfiguration);
  CHECK(has(no_plugin, "/bin/true: it has no manifest; build it with patchbay_add_plugin"));
}
