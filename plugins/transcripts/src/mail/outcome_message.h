// The message about a call that ended for good: text and HTML, with the transcript attached. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shares/public_transcript.h"

namespace patchbay::transcripts {

// What a message is about; a row of the store.
struct OutcomeMail {
  std::string tenant, call_id;
  std::string recipient;
  std::string phone, display_name;
  std::string outcome, error_detail;
  int64_t attempts = 1;
  int64_t ended_ms = 0;
  int64_t duration_sec = 0;
  std::string file;  // of the transcript; "": there is none
  std::string language;
  int64_t created_ms = 0;
};

struct MailSender {
  std::string from, from_name, reply_to;  // addresses are valid (mail_address.h); "": none
};

// The same for every message about the call, so that a message that is sent again after a crash can be
// recognised.
std::string message_id(const OutcomeMail& mail);

// Returns the whole message, with CRLF. The same arguments give the same bytes.
std::string outcome_message(const OutcomeMail& mail, const MailSender& sender,
                            const std::optional<PublicTranscript>& transcript);

}  // namespace patchbay::transcripts
