// The verbs of `patchbay plugin`, one source file each.
#pragma once

#include "exit_code.h"
#include "verbs/cli11.h"

namespace patchbay::app {

void add_plugin_list(CLI::App& plugin, int& exit_code);
void add_plugin_new(CLI::App& plugin, int& exit_code);
void add_plugin_run(CLI::App& plugin, int& exit_code);
void add_plugin_inspect(CLI::App& plugin, int& exit_code);
void add_plugin_doctor(CLI::App& plugin, int& exit_code);
void add_plugin_validate(CLI::App& plugin, int& exit_code);

}  // namespace patchbay::app
