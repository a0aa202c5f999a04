// patchbay store: lists and removes durable consumers, and copies a store to PostgreSQL. Works on the
// database, not through the server.
#include "store/store.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <memory>

#include "config/config.h"
#include "json/writer.h"
#include "server_address.h"
#include "store/copy_store.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

using core::ConsumerState;

struct StoreCommand {
  std::string config_file;
  std::string name;
  std::string target;
  bool json = false;
};

// Where the configuration says that the store is.
struct Place {
  std::filesystem::path file;           // of SQLite; with `postgres` only a name
  std::string postgres, password = {};  // as in StoreOptions
};

Result<Place> find_database(const StoreCommand& command) {
  const auto draft =
      core::config::load({default_config_file(command.config_file), core::config::process_environment(), {}});
  if (!draft.value) return {Code::invalid, core::config::sentences(draft.problems)};
  const auto& server = draft.value->server();
  return Place{std::filesystem::path(server.data) / "patchbay.db", server.store, server.store_password};
}

Status check_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return {};
  return {Code::invalid, "there is no database " + file.string() + "; has the server run yet?"};
}

Status check_place(const Place& place) { return place.postgres.empty() ? check_file(place.file) : Status(); }

int fail(const Error& error) {
  std::fprintf(stderr, "patchbay: %s\n", harmless(error.text).c_str());
  return error.code == Code::invalid ? kConfiguration : kRefused;
}

std::string ago(int64_t since_ms) {
  if (since_ms < 0) return "";
  using namespace std::chrono;
  const int64_t now_ms = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  const int64_t minutes = (now_ms - since_ms) / 60'000;
  if (minutes < 120) return std::to_string(minutes) + " min";
  return minutes < 48 * 60 ? std::to_string(minutes / 60) + " h" : std::to_string(minutes / (24 * 60)) + " d";
}

void print_json(const std::vector<ConsumerState>& all) {
  core::json::Writer out;
  out.begin_array();
  for (const ConsumerState& each : all) {
    out.begin_object().member("name", std::string_view(each.name));
    out.member("patterns", std::string_view(each.patterns));
    out.member("pending", each.pending).member("oldestPendingMs", each.oldest_pending_ms);
    out.member("seenMs", each.seen_ms).member("forgotten", each.forgotten).end_object();
  }
  std::printf("%s\n", out.end_array().text().c_str());
}

int list(const StoreCommand& command) {
  const auto place = find_database(command);
  if (!place) return fail(place.error());
  if (auto there = check_place(*place); !there) return fail(there.error());
  const auto all = core::read_consumers(place->file, place->postgres, place->password);
  if (!all) return fail(all.error());
  if (command.json) {
    print_json(all.value());
    return kDone;
  }
  std::vector<std::vector<std::string>> rows;
  for (const ConsumerState& each : all.value()) {
    const bool more = each.pending >= core::kMaxCountedPending;
    rows.push_back({harmless(each.name), harmless(each.patterns),
                    std::to_string(each.pending) + (more ? "+" : ""), ago(each.oldest_pending_ms),
                    each.forgotten ? "forgotten" : ago(each.seen_ms)});
  }
  std::fputs(table({"CONSUMER", "PATTERNS", "PENDING", "OLDEST", "LAST SEEN"}, rows).c_str(), stdout);
  return kDone;
}

// forget() and purge() wait for the store without a limit, because the store limits each operation.
Status forget(core::Store& store, const std::string& name) {
  std::promise<Status> forgotten;
  store.forget_consumer(name, [&](Status status) { forgotten.set_value(std::move(status)); });
  return forgotten.get_future().get();
}

Result<core::ConsumerPurgeResult> purge(core::Store& store) {
  constexpr int64_t kMaxRows = 10'000;
  std::promise<Result<core::ConsumerPurgeResult>> purged;
  store.purge_consumers(INT64_MIN, kMaxRows, [&](Result<core::ConsumerPurgeResult> result) {
    purged.set_value(std::move(result));
  });
  return purged.get_future().get();
}

int forget(const StoreCommand& command) {
  const auto place = find_database(command);
  if (!place) return fail(place.error());
  if (auto there = check_place(*place); !there) return fail(there.error());
  core::StoreOptions options;
  options.postgres = place->postgres;
  options.postgres_password = place->password;
  auto store = core::Store::open(place->file, std::move(options));
  if (!store && store.error().code == Code::conflict)
    return fail({Code::conflict, store.error().text +
                                     "; stop the server first, or leave the plugin out of its "
                                     "configuration: its consumers are forgotten after 30 days"});
  if (!store) return fail(store.error());
  if (auto forgotten = forget(**store, command.name); !forgotten) return fail(forgotten.error());
  int64_t removed = 0;
  for (bool more = true; more;) {
    const auto purged = purge(**store);
    if (!purged) return fail(purged.error());
    removed += purged.value().removed;
    more = purged.value().more;
  }
  std::printf("forgotten, with %lld pending events\n", static_cast<long long>(removed));
  return kDone;
}

int copy(const StoreCommand& command) {
  const auto place = find_database(command);
  if (!place) return fail(place.error());
  const std::string& target = command.target.empty() ? place->postgres : command.target;
  if (target.empty())
    return fail({Code::invalid,
                 "say where to: --to postgresql://user@host/database, or server.store in the configuration"});
  if (auto there = check_file(place->file); !there) return fail(there.error());
  const auto copied = core::copy_store(place->file, target, place->password);
  if (!copied) return fail(copied.error());
  int64_t rows = 0;
  for (const core::CopiedTable& table : *copied) rows += table.rows;
  std::printf("copied and verified: %zu tables, %lld rows\n", copied->size(), static_cast<long long>(rows));
  return kDone;
}

void add_config_option(Verb verb, StoreCommand& command) {
  verb.add_option("-c,--config", command.config_file, "The configuration; says where the database is")
      .type_name("FILE");
}

}  // namespace

void add_store(Verb app, int& exit_code) {
  Verb verb = app.add_verb("store", "The server's database");
  verb.require_verb();
  verb.footer("Examples:\n  patchbay store consumers\n  patchbay store forget webhooks/fan-out");
  const auto command = std::make_shared<StoreCommand>();

  Verb consumers =
      verb.add_verb("consumers", "List durable consumers of events, and what is pending for each");
  add_config_option(consumers, *command);
  consumers.add_flag("--json", command->json, "Print the result as JSON");
  consumers.footer("Works while a server is running.\n\nExamples:\n  patchbay store consumers --json");
  consumers.callback([command, &exit_code] { exit_code = list(*command); });

  Verb gone = verb.add_verb("forget", "Forget a consumer whose plugin is gone, with what is pending");
  gone.add_option("NAME", command->name, "As `patchbay store consumers` lists it").required();
  add_config_option(gone, *command);
  gone.footer("The server must be stopped.\n\nExamples:\n  patchbay store forget webhooks/fan-out");
  gone.callback([command, &exit_code] { exit_code = forget(*command); });

  Verb copied = verb.add_verb("copy", "Copy the store from its SQLite file to an empty PostgreSQL database");
  copied.add_option("--to", command->target, "Address of the database; default: server.store")
      .type_name("URL");
  add_config_option(copied, *command);
  copied.footer(
      "The server must be stopped. Afterwards set server.store to the address and start it; keep "
      "sealing.key.\n\n"
      "Examples:\n  patchbay store copy --to postgresql://patchbay@db.example.com/patchbay");
  copied.callback([command, &exit_code] { exit_code = copy(*command); });
}

}  // namespace patchbay::app
