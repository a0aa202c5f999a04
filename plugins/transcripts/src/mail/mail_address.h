// E-mail addresses, as SMTP without extensions takes them. Pure; any thread.
#pragma once

#include <string_view>

namespace patchbay::transcripts {

// True for an ASCII address such as ops@example.com: an unquoted local part of at most 64 characters and a
// host name. Such an address cannot end a line or a command.
bool is_mail_address(std::string_view text);

}  // namespace patchbay::transcripts
