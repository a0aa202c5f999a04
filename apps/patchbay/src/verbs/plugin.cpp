// patchbay plugin: groups the verbs about plugins (plugin_verbs.h).
#include "plugin_verbs.h"
#include "verbs.h"

namespace patchbay::app {

void add_plugin(Verb app, int& exit_code) {
  Verb verb = app.add_verb("plugin", "Plugins");
  verb.require_verb();
  verb.footer(
      "Examples:\n  patchbay plugin list\n  patchbay plugin inspect webhooks.so\n  patchbay plugin doctor -c "
      "patchbay.yaml\n  patchbay plugin new call-meter\n  patchbay plugin run call-meter.so --watch");
  add_plugin_list(verb, exit_code);
  add_plugin_inspect(verb, exit_code);
  add_plugin_doctor(verb, exit_code);
  add_plugin_new(verb, exit_code);
  add_plugin_run(verb, exit_code);
  add_plugin_validate(verb, exit_code);
}

}  // namespace patchbay::app
