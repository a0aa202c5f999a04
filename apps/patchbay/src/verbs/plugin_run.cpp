// patchbay plugin run: a plugin alone, in a small host by the real clock.
#include <cstdio>
#include <memory>

#include "file_watch.h"
#include "trial.h"
#include "plugin_verbs.h"

namespace patchbay::app {
namespace {

constexpr const char* kFooter =
    R"(The plugin gets a host of its own: events, store, services, patchbay.http without a port, patchbay.audio. Its log
goes to standard error; standard output tells its routes, answers, what it published and emitted, and which rules of the
boundary it broke. It ends with Ctrl-C, after --for, or a second after the sound of --pcm.

Examples:
  patchbay plugin run build/plugins/call-meter.so --publish 'call.answered {"callId": "c-1"}' --watch
  patchbay plugin run notes.so --ask 'POST /api.ashx/v1/notes {"text": "milk"}' --ask 'GET /api.ashx/v1/notes' --for 1
  patchbay plugin run voicemail.so --with sip-trunk.so --config patchbay.yaml
  patchbay plugin run echo.so --config patchbay.yaml --pcm in.wav --pcm-out out.wav)";

struct Command {
  TrialWords words;
  bool watch = false;
};

int complain(const Error& error) {
  std::fprintf(stderr, "patchbay: %s\n", error.text.c_str());
  return error.code == Code::failed ? kConfiguration : kUsage;
}

int run_once(const TrialWords& words) {
  const auto trial = read_trial(words);
  return trial ? run_trial(*trial) : complain(trial.error());
}

int run(const Command& command) {
  if (!command.watch) return run_once(command.words);
  // A wrong command line is told at once, and not at each change of the file.
  if (const auto trial = read_trial(command.words); !trial && trial.error().code != Code::failed)
    return complain(trial.error());
  const Status watched = watch_and_run(command.words.file, [&] { return run_once(command.words); });
  return watched ? kDone : complain({Code::invalid, "--watch: " + watched.error().text});
}

}  // namespace

void add_plugin_run(CLI::App& plugin, int& exit_code) {
  CLI::App& verb = *plugin.add_subcommand("run", "Try a plugin alone, without a server");
  const auto command = std::make_shared<Command>();
  TrialWords& words = command->words;
  verb.add_option("FILE", words.file, "The plugin's .so")->required();
  verb.add_option("-c,--config", words.config, "A server's configuration; the plugin's part of it is used")
      ->type_name("FILE");
  verb.add_option("--publish", words.publish, "An event to publish: 'topic {json}'; may be given again")
      ->type_name("EVENT");
  verb.add_option("--ask", words.ask,
                  "A request to one of its routes: 'METHOD /path {json}'; may be given again")
      ->type_name("REQUEST");
  verb.add_option("--with", words.with, "Another plugin's .so, started first; may be given again")
      ->type_name("FILE");
  verb.add_option("--pcm", words.pcm, "A WAV to play into the first audio port it makes")->type_name("FILE");
  verb.add_option("--pcm-out", words.pcm_out, "Where to keep what that port gives meanwhile")
      ->type_name("FILE");
  verb.add_option("--data", words.data, "A folder for its store and files, instead of a temporary one")
      ->type_name("DIR");
  verb.add_option("--for", words.seconds, "How long to run it")->type_name("SECONDS");
  verb.add_option("--deadline", words.deadline_sec, "How long its start may take, and its stop")
      ->check(CLI::Range(1.0, 3600.0))
      ->type_name("SECONDS");
  verb.add_flag("--watch", command->watch, "Start it again, in a new process, when the file changes");
  verb.footer(kFooter);
  verb.callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace patchbay::app
