// patchbay plugin validate: runs a plugin in every way that a server may, and reports what it does wrong.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "json/writer.h"
#include "plugin_inspect/plugin_file_checks.h"
#include "plugin_validate/step.h"
#include "plugin_validate/step_runner.h"
#include "plugin_verbs.h"
#include "server_verb.h"
#include "terminal_text.h"

namespace patchbay::app {
namespace {

struct ValidateCommand {
  validate::Subject subject;
  std::vector<std::string> only;
  bool json = false;
  bool list = false;
};

bool wanted(const ValidateCommand& command, const std::string& name) {
  return command.only.empty() ||
         std::any_of(command.only.begin(), command.only.end(),
                     [&](const std::string& part) { return name.rfind(part, 0) == 0; });
}

// The checks that need no running plugin. A remark counts as a failure here.
std::vector<validate::Result> inspect(const ValidateCommand& command, const Inspection& inspection) {
  std::vector<validate::Result> results;
  for (const char* check : inspection_checks()) {
    if (!wanted(command, check)) continue;
    if (!inspection.file && std::string(check) != "file") break;  // there is nothing to look at
    validate::Result result;
    result.name = check;
    for (const Finding& each : inspection.findings)
      if (result.outcome.passed() && std::string(each.check) == check) result.outcome = {each.text, each.fix};
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<validate::Step> chosen_steps(const ValidateCommand& command) {
  std::vector<validate::Step> chosen;
  for (const auto& group : {validate::life_steps(), validate::config_steps(), validate::thread_steps(),
                            validate::host_steps(), validate::leak_steps(), validate::fuzz_steps()}) {
    for (const validate::Step& step : group) {
      if (step.name == "fuzz" && command.subject.fuzz_sec <= 0) continue;
      if (wanted(command, step.name)) chosen.push_back(step);
    }
  }
  return chosen;
}

// On a terminal, shows the running check on the last line.
void print_begun(const std::string& name) {
  if (::isatty(STDOUT_FILENO) == 0) return;
  std::printf("...   %s\r", name.c_str());
  std::fflush(stdout);
}

// Called as each check ends.
void print_result(const validate::Result& each) {
  const char* erased = ::isatty(STDOUT_FILENO) == 0 ? "" : "\x1b[K";
  if (each.outcome.passed()) {
    std::printf("%sok    %s\n", erased, each.name.c_str());
  } else if (each.skipped) {
    std::printf("%sskip  %s: %s\n", erased, each.name.c_str(), harmless(each.outcome.reason).c_str());
  } else {
    std::printf("%sFAIL  %s\n      %s\n      fix: %s\n", erased, each.name.c_str(),
                harmless(each.outcome.reason).c_str(), harmless(each.outcome.fix).c_str());
  }
  std::fflush(stdout);
}

void print_sum(const validate::Subject& subject, const std::vector<validate::Result>& results) {
  const auto passed = std::count_if(results.begin(), results.end(),
                                    [](const validate::Result& each) { return each.outcome.passed(); });
  const auto skipped = std::count_if(results.begin(), results.end(),
                                     [](const validate::Result& each) { return each.skipped; });
  std::printf("%s: %td of %zu checks passed", subject.file.c_str(), passed, results.size());
  if (skipped > 0) std::printf(", %td skipped", skipped);
  std::printf(", seed %llu\n", static_cast<unsigned long long>(subject.seed));
}

void print_json(const validate::Subject& subject, const std::vector<validate::Result>& results, bool passed) {
  core::json::Writer out;
  out.begin_object().member("file", subject.file).member("plugin", subject.manifest.id);
  out.member("passed", passed).member("seed", subject.seed).key("checks").begin_array();
  for (const validate::Result& each : results) {
    out.begin_object().member("name", each.name).member("passed", each.outcome.passed());
    out.member("reason", each.outcome.reason)
        .member("fix", each.outcome.fix)
        .member("ms", each.ms)
        .member("skipped", each.skipped)
        .end_object();
  }
  std::printf("%s\n", out.end_array().end_object().text().c_str());
}

int run_plugin_validate(ValidateCommand command) {
  const Inspection inspection = inspect_plugin(command.subject.file);
  std::vector<validate::Result> results = inspect(command, inspection);
  const bool loads = inspection.source && inspection.reason() == nullptr;
  if (!loads && results.empty()) results = inspect({}, inspection);
  if (!command.json) std::for_each(results.begin(), results.end(), &print_result);
  if (loads) {
    command.subject.manifest = inspection.source->manifest;
    const auto steps = chosen_steps(command);
    if (steps.empty() && results.empty()) return report({Code::invalid, "no check has that name"}), kUsage;
    const validate::Progress printed{&print_begun, &print_result};
    auto more =
        validate::run_in_children(command.subject, steps, command.json ? validate::Progress{} : printed);
    std::move(more.begin(), more.end(), std::back_inserter(results));
  }
  const bool passed = std::all_of(results.begin(), results.end(),
                                  [](const validate::Result& each) { return each.outcome.passed(); });
  if (command.json) {
    print_json(command.subject, results, passed);
  } else {
    print_sum(command.subject, results);
  }
  if (inspection.reason() != nullptr) return kConfiguration;
  return passed ? kDone : kRefused;
}

}  // namespace

void add_plugin_validate(Verb plugin, int& exit_code) {
  Verb verb = plugin.add_verb(
      "validate", "Run a plugin in child processes in every way a server may, and report what it does wrong");
  const auto command = std::make_shared<ValidateCommand>();
  validate::Subject& subject = command->subject;
  verb.add_option("FILE", subject.file, "The plugin's .so").required();
  verb.add_option("--config", subject.config, "Its section under `plugins`, as JSON").type_name("JSON");
  verb.add_option("--tenants", subject.tenants,
                  "Its tenants, as JSON: {\"host\": {\"primary\": true, \"section\": {}, \"WebPhone\": {}}}")
      .type_name("JSON");
  verb.add_option("--only", command->only,
                  "Only checks whose names begin so: life, \"host: store\", leaks; repeatable")
      .type_name("NAME");
  verb.add_option("--fuzz", subject.fuzz_sec,
                  "Also run random events, calls, configurations and audio for this long")
      .type_name("SECONDS");
  verb.add_option("--seed", subject.seed, "Seed of the random input [1]").type_name("N");
  verb.add_option("--cycles", subject.cycles,
                  "Starts and stops of the leak check, ten times as many while the heap grows [100]")
      .type_name("N");
  verb.add_flag("--json", command->json, "Print the results as JSON");
  verb.footer(
      "Examples:\n  patchbay plugin validate build/plugins/hello-plugin.so\n  patchbay plugin validate "
      "sip-trunk.so "
      "--config '{\"listenPort\": 0}' --only life --only leaks\n  patchbay plugin validate notes.so --fuzz "
      "60 --seed "
      "7\n\nExit codes: 0 all checks passed; 1 one did not; 4 the file would not even load.");
  verb.callback([command, &exit_code] { exit_code = run_plugin_validate(*command); });
}

}  // namespace patchbay::app
