// The verbs of `patchbay plugin`, one source file each.
#pragma once

#include "exit_code.h"
#include "verb.h"

namespace patchbay::app {

void add_plugin_list(Verb plugin, int& exit_code);
void add_plugin_new(Verb plugin, int& exit_code);
void add_plugin_run(Verb plugin, int& exit_code);
void add_plugin_inspect(Verb plugin, int& exit_code);
void add_plugin_doctor(Verb plugin, int& exit_code);
void add_plugin_validate(Verb plugin, int& exit_code);

}  // namespace patchbay::app
