// What the verbs that talk to a running server share: their options, errors, output and exit codes.
#pragma once

#include <string>

#include "admin_client.h"
#include "json/document.h"
#include "server_address.h"
#include "verb.h"

namespace patchbay::app {

// Adds -c, --socket, --tenant and --json to a verb.
void add_server_options(Verb verb, ServerOptions& options);

// Both print the error on stderr and return the exit code for it.
int report(const Error& error);
int report_refusal(const AdminClient::Answer& answer);
// Sends one request and reports an error or refusal. With --json the body is printed as received, otherwise
// `show` prints the parsed body. Returns the exit code.
int exchange(const ServerOptions& options, const char* method, const std::string& path,
             const AdminClient::Query& query, const std::string& body, void (*show)(const core::json::Node&));

}  // namespace patchbay::app
