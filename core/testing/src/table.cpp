// The functions of pb_testing.
#include <patchbay/testing/table.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "abi/boundary_copies.h"
#include "abi/rows_view.h"
#include "plugin_under_test.h"
#include "plugins/plugin_file.h"

using patchbay::Code;
using patchbay::from_abi;
using patchbay::Result;
using patchbay::Status;
using patchbay::to_abi;
using patchbay::core::copied;

struct pb_testing_host {
  std::unique_ptr<patchbay::fake::Environment> environment;
  std::unique_ptr<patchbay::core::HostContext> client;
  std::vector<std::unique_ptr<patchbay::fake::PluginUnderTest>> plugins;

  patchbay::fake::PluginUnderTest* find(uint64_t plugin) {
    return plugin >= 1 && plugin <= plugins.size() ? plugins[plugin - 1].get() : nullptr;
  }
};

namespace patchbay::fake {
namespace {

int32_t told(const Status& status, pb_err* err) {
  return status ? PB_OK : write_error(err, status.error().code, status.error().text);
}

EnvironmentOptions read_options(const pb_testing_options* raw) {
  EnvironmentOptions options;
  if (raw == nullptr) return options;
  options.real_time = (raw->flags & PB_TESTING_REAL_TIME) != 0;
  options.echo = (raw->flags & PB_TESTING_ECHO) != 0;
  options.wall_ms = raw->wall_ms;
  if (raw->wait_ms > 0) options.wait = std::chrono::milliseconds(raw->wait_ms);
  if (raw->stall_ms > 0) options.stall_ms = raw->stall_ms;
  options.folder = copied(raw->folder);
  if (raw->log_level.len > 0) options.level = core::observe::level_of(from_abi(raw->log_level));
  if (raw->size >= PB_END_OF_(raw, store)) options.store = copied(raw->store);
  return options;
}

pb_testing_host* create(const pb_testing_options* options, pb_err* err) noexcept {
  auto environment = Environment::create(read_options(options));
  if (!environment) {
    write_error(err, environment.error().code, environment.error().text);
    return nullptr;
  }
  auto host = std::make_unique<pb_testing_host>();
  host->environment = std::move(*environment);
  host->client = std::make_unique<core::HostContext>(host->environment->services(), "test");
  host->environment->rules().trust(*host->client);
  return host.release();
}

void end_client(pb_testing_host& host) {
  core::HostContext& context = *host.client;
  host.environment->services().registry.withdraw_all(context.id());
  context.cancel_calls();
  static_cast<void>(host.environment->settle());
  struct Closed {
    static void call(void* done) { static_cast<std::atomic<bool>*>(done)->store(true); }
  };
  // Set once the strand has run everything. Leaked if that does not come, because it may still be set later.
  auto* closed = new std::atomic<bool>(false);
  context.main_strand()->close(&Closed::call, closed);
  if (host.environment->settle() && closed->load()) delete closed;
}

void destroy(pb_testing_host* raw) noexcept {
  std::unique_ptr<pb_testing_host> host(raw);
  if (!host) return;
  bool stuck = false;
  for (auto at = host->plugins.rbegin(); at != host->plugins.rend(); ++at) {
    (*at)->end();
    stuck = stuck || (*at)->stuck();
  }
  // Keeps what a stuck plugin may still use, in a list so that leak checkers do not report it.
  if (stuck) {
    static auto* const kept = new std::vector<pb_testing_host*>;
    return kept->push_back(host.release());
  }
  end_client(*host);
  static_cast<void>(host->environment->settle());
}

const pb_host* client(pb_testing_host* host) noexcept { return host->client->raw(); }

uint64_t link(pb_testing_host* host, const pb_entry* entry, pb_err* err) noexcept {
  auto life = PluginUnderTest::of(*host->environment, *entry);
  if (!life) {
    write_error(err, life.error().code, life.error().text);
    return 0;
  }
  host->plugins.push_back(std::move(*life));
  return host->plugins.size();
}

uint64_t load(pb_testing_host* host, pb_str file, pb_err* err) noexcept {
  const auto entry = core::load_entry(copied(file));
  if (entry) return link(host, *entry, err);
  write_error(err, entry.error().code, entry.error().text);
  return 0;
}

pb_str manifest(pb_testing_host* host, uint64_t plugin) noexcept {
  const PluginUnderTest* life = host->find(plugin);
  return life != nullptr ? to_abi(life->manifest_text()) : pb_str{};
}

int32_t begin(pb_testing_host* host, uint64_t plugin, uint32_t step, const pb_testing_config* config,
              pb_err* err) noexcept {
  PluginUnderTest* life = host->find(plugin);
  if (life == nullptr) return write_error(err, Code::misuse, "there is no such plugin");
  const pb_testing_config none{sizeof(pb_testing_config), 0, {}, {}};
  const pb_testing_config& given = config != nullptr ? *config : none;
  return told(life->begin(step, from_abi(given.plugin), from_abi(given.tenants)), err);
}

int32_t answer(pb_testing_host* host, uint64_t plugin, int64_t wait_ms, int32_t* status,
               pb_err* err) noexcept {
  PluginUnderTest* life = host->find(plugin);
  if (life == nullptr) {
    *status = write_error(err, Code::misuse, "there is no such plugin");
    return 1;
  }
  const auto wait = wait_ms < 0 ? host->environment->options().wait : std::chrono::milliseconds(wait_ms);
  const auto came = life->answer(wait);
  if (!came) return 0;
  *status = told(*came, err);
  return 1;
}

int32_t settle(pb_testing_host* host, pb_err* err) noexcept { return told(host->environment->settle(), err); }

int32_t advance(pb_testing_host* host, int64_t ms, pb_err* err) noexcept {
  return told(host->environment->advance(ms), err);
}

int32_t set_wall(pb_testing_host* host, int64_t wall_ms, pb_err* err) noexcept {
  return told(host->environment->set_wall(wall_ms), err);
}

int32_t on_media(pb_testing_host* host, pb_fn fn, void* user) noexcept {
  host->environment->on_media(fn, user);
  return PB_OK;
}

void sql(pb_testing_host* host, pb_str statement, const pb_value* values, uint32_t count, pb_rows_fn fn,
         void* user) noexcept {
  auto rows = host->environment->sql(from_abi(statement), core::read_values(values, count));
  if (rows) {
    const core::RowsView shown(*rows);
    return fn(user, PB_OK, shown.get(), nullptr);
  }
  pb_err err = empty_error();
  fn(user, write_error(&err, rows.error().code, rows.error().text), nullptr, &err);
}

uint64_t events(pb_testing_host* host, uint64_t from, void (*sink)(void*, const pb_recorded_event*) noexcept,
                void* user) noexcept {
  const auto& list = host->environment->recording().events;
  const auto fresh = list.from(from);
  for (const RecordedEvent& event : fresh) {
    const pb_event raw{sizeof(pb_event),
                       0,
                       event.id,
                       event.time_ms,
                       to_abi(event.topic),
                       to_abi(event.tenant),
                       to_abi(event.subject),
                       to_abi(event.correlation),
                       to_abi(event.payload),
                       0};
    const pb_recorded_event recorded{sizeof(pb_recorded_event), 0, to_abi(event.plugin), &raw};
    sink(user, &recorded);
  }
  return from + fresh.size();
}

uint64_t lines(pb_testing_host* host, uint64_t from, void (*sink)(void*, const pb_recorded_line*) noexcept,
               void* user) noexcept {
  const auto& list = host->environment->recording().lines;
  const auto fresh = list.from(from);
  for (const RecordedLine& line : fresh) {
    std::vector<pb_pair> fields;
    for (const auto& [key, value] : line.fields) fields.push_back({to_abi(key), to_abi(value)});
    const pb_recorded_line recorded{sizeof(pb_recorded_line),
                                    line.level,
                                    to_abi(line.plugin),
                                    to_abi(line.correlation),
                                    to_abi(line.text),
                                    fields.data(),
                                    static_cast<uint32_t>(fields.size()),
                                    0};
    sink(user, &recorded);
  }
  return from + fresh.size();
}

uint64_t ports(pb_testing_host* host, uint64_t from, void (*sink)(void*, const pb_recorded_port*) noexcept,
               void* user) noexcept {
  const auto& list = host->environment->recording().ports;
  const auto fresh = list.from(from);
  for (const RecordedPort& port : fresh) {
    const pb_recorded_port recorded{
        sizeof(pb_recorded_port), port.pull_rate_hz, port.push_rate_hz, 0, port.handle, to_abi(port.plugin)};
    sink(user, &recorded);
  }
  return from + fresh.size();
}

uint64_t problems(pb_testing_host* host, uint64_t from,
                  void (*sink)(void*, const pb_recorded_problem*) noexcept, void* user) noexcept {
  const auto& list = host->environment->recording().problems;
  const auto fresh = list.from(from);
  for (const RecordedProblem& problem : fresh) {
    const pb_recorded_problem recorded{sizeof(pb_recorded_problem), 0, to_abi(problem.name),
                                       to_abi(problem.plugin), to_abi(problem.text)};
    sink(user, &recorded);
  }
  return from + fresh.size();
}

}  // namespace
}  // namespace patchbay::fake

extern "C" __attribute__((visibility("default")))
const pb_testing patchbay_testing_v1 = {sizeof(pb_testing),        0,
                                        &patchbay::fake::create,   &patchbay::fake::destroy,
                                        &patchbay::fake::client,   &patchbay::fake::load,
                                        &patchbay::fake::link,     &patchbay::fake::manifest,
                                        &patchbay::fake::begin,    &patchbay::fake::answer,
                                        &patchbay::fake::settle,   &patchbay::fake::advance,
                                        &patchbay::fake::set_wall, &patchbay::fake::on_media,
                                        &patchbay::fake::sql,      &patchbay::fake::events,
                                        &patchbay::fake::lines,    &patchbay::fake::ports,
                                        &patchbay::fake::problems};
