// Environment: what survives a killed server: the callees, the AI engine, the receivers
// of webhooks and mails, the data.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "callee.h"
#include "database.h"
#include "server_process.h"
#include "support/child_process.h"
#include "support/gemini_server.h"
#include "support/postgres_server.h"
#include "support/smtp_server.h"
#include "support/test_store.h"
#include "support/webhook_receiver.h"

namespace kills {

// Of all subscriptions.
inline constexpr char kReceiverSecret[] = "a-secret-of-the-tests-0123456789";

class Environment {
 public:
  // On PostgreSQL, with a PostgreSQL server that only this environment uses, or on SQLite. Default: as the
  // test runs. The callee sends no audio, so calls end after the time-out at the latest.
  explicit Environment(bool on_postgres = patchbay::test::on_postgres(), int no_media_timeout_sec = 60);

  std::unique_ptr<ServerProcess> start(std::vector<std::string> before = {}) const {
    return std::make_unique<ServerProcess>(folder.path(), std::move(before));
  }
  Database database() const;
  std::string log() const { return patchbay::test::read_text(folder.file("log")); }

  // Null on SQLite.
  const std::unique_ptr<patchbay::test::Postgres> postgres;
  patchbay::test::TempFolder folder;
  Callee callee;
  patchbay::support::GeminiServer engine;
  patchbay::test::WebhookReceiver receiver;
  patchbay::test::SmtpServer mails;
};

// Whether the server says that the change was not applied: 503 `unavailable`, of the whitelist 500 with a
// text.
bool is_refused(const Answer& answer);

// Adds the number until the server accepts it, and returns how long that took; nothing after a minute.
std::optional<int64_t> recovery_ms(const ServerProcess& server, const std::string& number);

// POST /v1/calls. `more`: further members of the body, `key`: an Idempotency-Key or "".
Request create_call(const std::string& phone, const std::string& more = "", const std::string& key = "");
Request get_call(const std::string& id);
Request hang_up(const std::string& id);
Request add_number(const std::string& number);
Request get_transcript(const std::string& id);
std::string json_text(const std::string& body, const std::string& member);

}  // namespace kills
