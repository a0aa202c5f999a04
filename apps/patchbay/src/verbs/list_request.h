// Requests of lists: follows `next` from page to page.
#pragma once

#include <string>

#include "server_verb.h"

namespace patchbay::app {

// Rows that a list shows unless --limit says otherwise: all of a list that people write, the newest of a
// history, which grows without end.
inline constexpr int kAllRows = 0;
inline constexpr int kNewestRows = 50;

// Adds --limit to a verb. `limit` has the default.
void add_limit_option(Verb verb, int& limit);
// Gets up to `limit` rows, or all, and prints them as exchange() does: with --json as one answer with the
// rows of all pages. If there are more, a note on standard error says so on a terminal. Returns the exit
// code.
int exchange_list(const ServerOptions& options, const std::string& path, const AdminClient::Query& query,
                  int limit, void (*show)(const core::json::Node&));

}  // namespace patchbay::app
