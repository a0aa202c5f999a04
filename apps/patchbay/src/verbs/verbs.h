// The verbs of the program, one source file each. add_x() adds the verb to the command line; its callback
// runs it and sets the exit code.
#pragma once

#include "exit_code.h"
#include "verb.h"

namespace patchbay::app {

void add_serve(Verb app, int& exit_code);
void add_check(Verb app, int& exit_code);
void add_status(Verb app, int& exit_code);
void add_call(Verb app, int& exit_code);
void add_hangup(Verb app, int& exit_code);
void add_calls(Verb app, int& exit_code);
void add_transcript(Verb app, int& exit_code);
void add_share(Verb app, int& exit_code);
void add_mails(Verb app, int& exit_code);
void add_audit(Verb app, int& exit_code);
void add_whitelist(Verb app, int& exit_code);
void add_key(Verb app, int& exit_code);
void add_number(Verb app, int& exit_code);
void add_signing_key(Verb app, int& exit_code);
void add_user(Verb app, int& exit_code);
void add_contact(Verb app, int& exit_code);
void add_webhook(Verb app, int& exit_code);
void add_events(Verb app, int& exit_code);
void add_route(Verb app, int& exit_code);
void add_explain(Verb app, int& exit_code);
void add_trunk(Verb app, int& exit_code);
void add_ladder(Verb app, int& exit_code);
void add_plugin(Verb app, int& exit_code);
void add_store(Verb app, int& exit_code);
void add_completion(Verb app, int& exit_code);
void add_version(Verb app, int& exit_code);

// Parses and runs a command line; returns the exit code.
int run_command_line(int count, const char* const* arguments);

}  // namespace patchbay::app
