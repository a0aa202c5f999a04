// The verbs of the program, one source file each. add_x() adds the verb to the command line; its callback
// runs it and sets the exit code.
#pragma once

#include "exit_code.h"
#include "verbs/cli11.h"

namespace patchbay::app {

void add_serve(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_status(CLI::App& app, int& exit_code);
void add_call(CLI::App& app, int& exit_code);
void add_hangup(CLI::App& app, int& exit_code);
void add_calls(CLI::App& app, int& exit_code);
void add_transcript(CLI::App& app, int& exit_code);
void add_key(CLI::App& app, int& exit_code);
void add_webhook(CLI::App& app, int& exit_code);
void add_plugin(CLI::App& app, int& exit_code);
void add_store(CLI::App& app, int& exit_code);
void add_version(CLI::App& app, int& exit_code);

// Parses and runs a command line; returns the exit code.
int run_command_line(int count, const char* const* arguments);

}  // namespace patchbay::app
