// patchbay plugin run: runs one plugin in a small host with the real clock.
#include <cstdio>
#include <memory>

#include "plugin_run/file_watch.h"
#include "plugin_run/trial_arguments.h"
#include "plugin_run/trial_run.h"
#include "plugin_verbs.h"

namespace patchbay::app {
namespace {

constexpr const char* kRunFooter =
    R"(The plugin runs in a small host with events, store, services, patchbay.http without a port, and patchbay.audio. Its
log goes to standard error; standard output lists its routes, answers, events, and the rules of the boundary that it
broke. The run ends with Ctrl-C, after --for, or a second after the sound of --pcm.

Examples:
  patchbay plugin run build/plugins/call-meter.so --publish 'call.answered {"callId": "c-1"}' --watch
  patchbay plugin run notes.so --ask 'POST /api.ashx/v1/notes {"text": "milk"}' --ask 'GET /api.ashx/v1/notes' --for 1
  patchbay plugin run voicemail.so --with sip-trunk.so --config patchbay.yaml
  patchbay plugin run echo.so --config patchbay.yaml --pcm in.wav --pcm-out out.wav)";

struct RunCommand {
  TrialArguments arguments;
  bool watch = false;
};

int report_error(const Error& error) {
  std::fprintf(stderr, "patchbay: %s\n", error.text.c_str());
  return error.code == Code::failed ? kConfiguration : kUsage;
}

int run_once(const TrialArguments& arguments) {
  const auto trial = read_trial(arguments);
  return trial ? run_trial(*trial) : report_error(trial.error());
}

int run_plugin_run(const RunCommand& command) {
  if (!command.watch) return run_once(command.arguments);
  // Reports a wrong command line now rather than at each change of the file.
  if (const auto trial = read_trial(command.arguments); !trial && trial.error().code != Code::failed)
    return report_error(trial.error());
  const Status watched = watch_and_run(command.arguments.file, [&] { return run_once(command.arguments); });
  return watched ? kDone : report_error({Code::invalid, "--watch: " + watched.error().text});
}

}  // namespace

void add_plugin_run(Verb plugin, int& exit_code) {
  Verb verb = plugin.add_verb("run", "Try a plugin alone, without a server");
  const auto command = std::make_shared<RunCommand>();
  TrialArguments& arguments = command->arguments;
  verb.add_option("FILE", arguments.file, "The plugin's .so").required();
  verb.add_option("-c,--config", arguments.config, "A server's configuration, for the plugin's section")
      .type_name("FILE");
  verb.add_option("--publish", arguments.publish, "An event to publish: 'topic {json}'; repeatable")
      .type_name("EVENT");
  verb.add_option("--ask", arguments.ask, "A request to one of its routes: 'METHOD /path {json}'; repeatable")
      .type_name("REQUEST");
  verb.add_option("--with", arguments.with, "Another plugin's .so, started first; repeatable")
      .type_name("FILE");
  verb.add_option("--pcm", arguments.pcm, "WAV to play into the first audio port that it opens")
      .type_name("FILE");
  verb.add_option("--pcm-out", arguments.pcm_out, "WAV to record that port's output to").type_name("FILE");
  verb.add_option("--data", arguments.data, "A folder for its store and files, instead of a temporary one")
      .type_name("DIR");
  verb.add_option("--for", arguments.seconds, "How long to run it").type_name("SECONDS");
  verb.add_option("--deadline", arguments.deadline_sec, "Time limit of its start, and of its stop")
      .range(1.0, 3600.0)
      .type_name("SECONDS");
  verb.add_flag("--watch", command->watch, "Start it again, in a new process, when the file changes");
  verb.footer(kRunFooter);
  verb.callback([command, &exit_code] { exit_code = run_plugin_run(*command); });
}

}  // namespace patchbay::app
