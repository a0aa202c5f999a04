// patchbay.transcripts: stores transcripts of calls. Provided by transcripts. Maturity: experimental.
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

// Thread: runs on the provider's main strand and a worker, answers on the strand of the caller.
// Lifetime: the caller keeps the transaction, and commits or discards it after the reply; the file is
// permanent. Since: 0.1
struct Transcripts {
  static constexpr char id[] = "patchbay.transcripts/1";
  // Writes the file and adds its operations (exactly one exec(), and the event) to the transaction; replies
  // when the file is on disk. Emit call.ended or outbound-ai.finished before the call, because
  // transcript.saved has to follow them.
  static constexpr Method<0, Save, Saved> save{"save"};
  static constexpr auto methods() { return std::make_tuple(save); }
};

}  // namespace patchbay::transcripts
