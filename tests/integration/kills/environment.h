// Environment: what survives a killed server: the callees, the AI engine, the webhook receiver, the data.
#pragma once

#include <memory>
#include <string>

#include "callee.h"
#include "server_process.h"
#include "support/child_process.h"
#include "support/gemini_server.h"
#include "support/webhook_receiver.h"

namespace kills {

class Environment {
 public:
  Environment();

  std::unique_ptr<ServerProcess> start() const { return std::make_unique<ServerProcess>(folder.path()); }
  std::string database() const { return folder.file("data/patchbay.db"); }
  std::string log() const { return patchbay::test::read_text(folder.file("log")); }

  patchbay::test::TempFolder folder;
  Callee callee;
  patchbay::support::GeminiServer engine;
  patchbay::test::WebhookReceiver receiver;
};

// POST /v1/calls. `more`: further members of the body, `key`: an Idempotency-Key or "".
Request create_call(const std::string& phone, const std::string& more = "", const std::string& key = "");
Request get_call(const std::string& id);
Request hang_up(const std::string& id);
Request add_number(const std::string& number);
Request get_transcript(const std::string& id);
std::string json_text(const std::string& body, const std::string& member);

}  // namespace kills
