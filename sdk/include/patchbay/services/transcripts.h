// patchbay.transcripts: stores transcripts of calls, and sends the outcomes of calls by mail. Provided by
// transcripts. Maturity: experimental.
#pragma once

#include "../service.h"

namespace patchbay::transcripts {

struct Save {
  Handle tx;             // the caller's transaction; the row and transcript.saved are added to it
  std::string document;  // JSON: the full transcript, all fields of the specification
  std::string call_id;
  int64_t attempt = 1;
  std::string tenant;
  std::string rule;  // label of the list item
  std::string correlation;
  PATCHBAY_FIELDS(tx, document, call_id, attempt, tenant, rule, correlation)
};

struct Saved {
  std::string file;  // "oac-0123456789ab.json"
  PATCHBAY_FIELDS(file)
};

// The message about a call that ended for good, to the address that its request named.
struct Mail {
  Handle tx;  // the caller's transaction; the message is added to it
  std::string tenant;
  std::string call_id;
  std::string to;            // an e-mail address
  std::string phone;         // the number that was called
  std::string display_name;  // of the other party; "": the number
  std::string outcome;       // as in the specification
  std::string error_detail;  // why the call failed; "": it did not
  int64_t attempts = 1;
  int64_t ended_ms = 0;  // wall clock
  int64_t duration_sec = 0;
  std::string file;  // of the transcript to attach (Saved::file); "": there is none
  PATCHBAY_FIELDS(tx, tenant, call_id, to, phone, display_name, outcome, error_detail, attempts, ended_ms,
                  duration_sec, file)
};

// Thread: runs on the provider's main strand and a worker, answers on the strand of the caller.
// Lifetime: the caller keeps the transaction, and commits or discards it after the reply; the file is
// permanent. Since: 0.1
struct Transcripts {
  static constexpr char id[] = "patchbay.transcripts/1";
  // Writes the file and adds its operations (exactly one exec(), and the event) to the transaction; replies
  // when the file is on disk. Emit call.ended or outbound-ai.finished before the call, because
  // transcript.saved has to follow them.
  static constexpr Method<0, Save, Saved> save{"save"};
  // Adds its operations (at most one exec(), and a job) to the transaction; the message is sent once that is
  // committed, and again until the mail server takes or refuses it, for a day. One message per call: a
  // further one is ignored. No-op when the tenant has no mail server.
  static constexpr Method<1, Mail, Empty> mail{"mail"};
  static constexpr auto methods() { return std::make_tuple(save, mail); }
};

}  // namespace patchbay::transcripts
