// What admins made is there, and what they removed is gone, after all kills.
#pragma once

#include "environment.h"
#include "management_load.h"

namespace kills {

// Asks the running server: keys and links are accepted or refused, as acknowledged.
void check_access(const ServerProcess& server, const ManagementJournal& journal);
// In the store and in the folder of transcripts; call it after the server has stopped.
void check_management(const Environment& environment, const ManagementJournal& journal);
// Each call that ended for good has one message, whatever number of copies was sent.
void check_mails(const Environment& environment);

}  // namespace kills
