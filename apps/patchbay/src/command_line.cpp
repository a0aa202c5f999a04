#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "json/suggestion.h"
#include "terminal_text.h"
#include "verbs/verbs.h"

namespace patchbay::app {
namespace {

constexpr const char* kFooter = R"(Examples:
  patchbay check patchbay.yaml
  patchbay serve -c patchbay.yaml
  patchbay status
  patchbay call +4930123456 --prompt "Ask whether Tuesday suits." --watch
  patchbay calls --status in-flight
  patchbay transcript oac-0123456789ab

`patchbay VERB --help` has more. All verbs but serve, check, version, completion, store and those about plugins' files talk to the running
server through its admin socket, which they find through the configuration (-c, else ./patchbay.yaml, else
/etc/patchbay/patchbay.yaml) or --socket.

Exit codes: 0 done; 1 the server refused, or the watched call did not succeed; 2 the command line is wrong;
3 no server can be reached; 4 the configuration or a plugin's file is wrong.)";

// The innermost verb that the command line names, followed word by word up to an option or an unknown word.
struct Reached {
  const CLI::App* verb;
  std::string path = "patchbay";
  int next = 1;  // index of the first word that names no verb
  std::vector<const CLI::App*> verbs() const {
    return verb->get_subcommands([](const CLI::App*) { return true; });
  }
};

Reached follow(const CLI::App& program, int count, const char* const* arguments) {
  Reached reached{&program};
  for (; reached.next < count; ++reached.next) {
    const auto verbs = reached.verbs();
    const std::string word = arguments[reached.next];
    const auto found = std::find_if(verbs.begin(), verbs.end(),
                                    [&](const CLI::App* verb) { return verb->get_name() == word; });
    if (found == verbs.end()) break;
    reached.verb = *found;
    reached.path += " " + word;
  }
  return reached;
}

// The error for a word that is no verb where a verb is expected; "" when there is none.
std::string wrong_verb(const CLI::App& program, int count, const char* const* arguments) {
  const Reached reached = follow(program, count, arguments);
  const auto verbs = reached.verbs();
  if (verbs.empty() || reached.next == count || arguments[reached.next][0] == '-') return {};
  std::vector<std::string> names;
  for (const CLI::App* verb : verbs) names.push_back(verb->get_name());
  const std::string_view word = arguments[reached.next];
  const std::string near = core::json::suggest(word, {names.begin(), names.end()});
  return reached.path + " has no verb " + harmless(word.substr(0, 40)) +
         (near.empty() ? "; `" + reached.path + " --help` lists them"
                       : "; did you mean `" + reached.path + " " + near + "`?");
}

// The error for a command line that ends before a required verb, with a list of the verbs; "" when complete.
std::string missing_verb(const CLI::App& program, int count, const char* const* arguments) {
  const Reached reached = follow(program, count, arguments);
  std::vector<std::vector<std::string>> rows;
  for (const CLI::App* verb : reached.verbs()) rows.push_back({verb->get_name(), verb->get_description()});
  if (rows.empty() || reached.next < count) return {};
  return reached.path + " needs a verb; `" + reached.path + " --help` has examples\n\n" +
         table({"VERB", "WHAT IT DOES"}, rows);
}

// Rewrites CLI11's "Could not convert: --for = x".
std::string wrong_value(const CLI::ConversionError& error) {
  const std::string what = error.what();
  const size_t from = what.find("--"), equals = what.find(" = ");
  if (from == std::string::npos || equals == std::string::npos) return what;
  return what.substr(from, equals - from) + " does not take " + harmless(what.substr(equals + 3)) +
         "; --help says what it takes";
}

}  // namespace

int run_command_line(int count, const char* const* arguments) {
  CLI::App app("Patchbay: a media server made of plugins", "patchbay");
  app.footer(kFooter);
  app.require_subcommand(1);
  int exit_code = kDone;
  for (const auto add :
       {add_serve,     add_check,  add_status, add_call,        add_hangup, add_calls,   add_transcript,
        add_share,     add_mails,  add_route,  add_explain,     add_trunk,  add_ladder,  add_key,
        add_whitelist, add_audit,  add_number, add_signing_key, add_user,   add_contact, add_webhook,
        add_events,    add_plugin, add_store,  add_completion,  add_version})
    add(Verb(&app), exit_code);
  app.set_version_flag("--version", std::string("patchbay ") + PATCHBAY_VERSION);
  if (const std::string wrong = wrong_verb(app, count, arguments); !wrong.empty()) {
    std::cerr << wrong << "\n";
    return kUsage;
  }
  if (const std::string missing = missing_verb(app, count, arguments); !missing.empty()) {
    std::cerr << missing;
    return kUsage;
  }
  try {
    app.parse(count, arguments);
  } catch (const CLI::ConversionError& error) {
    std::cerr << wrong_value(error) << "\n";
    return kUsage;
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? kDone : kUsage;
  }
  return exit_code;
}

}  // namespace patchbay::app
