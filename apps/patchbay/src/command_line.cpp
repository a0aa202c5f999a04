#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "json/nearest.h"
#include "text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

constexpr const char* kFooter = R"(Examples:
  patchbay check patchbay.yaml
  patchbay serve -c patchbay.yaml
  patchbay status
  patchbay call +4930123456 --prompt "Ask whether Tuesday suits." --watch
  patchbay calls --status in-flight
  patchbay transcript oac-0123456789ab

`patchbay VERB --help` has more. All verbs but serve, check, version, store and those about plugins' files talk to the running
server through its admin socket, which they find through the configuration (-c, else ./patchbay.yaml, else
/etc/patchbay/patchbay.yaml) or --socket.

Exit codes: 0 done; 1 the server refused, or the watched call did not succeed; 2 the command line is wrong;
3 no server can be reached; 4 the configuration or a plugin's file is wrong.)";

// A word where a verb should stand, in a sentence; empty when all verbs are there.
std::string wrong_verb(const CLI::App& program, int count, const char* const* arguments) {
  const CLI::App* at = &program;
  std::string path = "patchbay";
  for (int i = 1; i < count; ++i) {
    const auto verbs = at->get_subcommands([](const CLI::App*) { return true; });
    if (verbs.empty() || arguments[i][0] == '-') return {};
    const auto found = std::find_if(verbs.begin(), verbs.end(),
                                    [&](const CLI::App* verb) { return verb->get_name() == arguments[i]; });
    if (found == verbs.end()) {
      std::vector<std::string> names;
      for (const CLI::App* verb : verbs) names.push_back(verb->get_name());
      const std::string near = core::json::nearest(arguments[i], {names.begin(), names.end()});
      return path + " has no verb " + harmless(std::string_view(arguments[i]).substr(0, 40)) +
             (near.empty() ? "; `" + path + " --help` lists them"
                           : "; did you mean `" + path + " " + near + "`?");
    }
    at = *found;
    path += std::string(" ") + arguments[i];
  }
  return {};
}

// "Could not convert: --for = x", so that it says what to do.
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
  for (const auto add : {add_serve, add_check, add_status, add_call, add_hangup, add_calls, add_transcript,
                         add_key, add_webhook, add_plugin, add_store, add_version})
    add(app, exit_code);
  app.set_version_flag("--version", std::string("patchbay ") + PATCHBAY_VERSION);
  if (const std::string wrong = wrong_verb(app, count, arguments); !wrong.empty()) {
    std::cerr << wrong << "\n";
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
