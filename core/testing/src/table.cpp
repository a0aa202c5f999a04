// The functions of pb_testing.
#include <patchbay/testing/table.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "abi/rows_view.h"
#include "abi/text.h"
#include "plugin_under_test.h"
#include "plugins/plugin_source.h"

using patchbay::Code;
using patchbay::Result;
using patchbay::Status;
using patchbay::core::string;
using patchbay::core::text;
using patchbay::core::view;

struct pb_testing_host {
  std::unique_ptr<patchbay::fake::Environment> world;
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
  options.folder = string(raw->folder);
  if (raw->log_level.len > 0) options.level = core::observe::level_of(view(raw->log_level));
  return options;
}

pb_testing_host* create(const pb_testing_options* options, pb_err* err) noexcept {
  auto world = Environment::create(read_options(options));
  if (!world) {
    write_error(err, world.error().code, world.error().text);
    return nullptr;
  }
  auto host = std::make_unique<pb_testing_host>();
  host->world = std::move(*world);
  host->client = std::make_unique<core::HostContext>(host->world->services(), "test");
  host->world->rules().trust(*host->client);
  return host.release();
}

void end_client(pb_testing_host& host) {
  core::HostContext& context = *host.client;
  host.world->services().registry.withdraw_all(context.id());
  context.cancel_calls();
  static_cast<void>(host.world->settle());
  struct Closed {
    static void call(void* done) { static_cast<std::atomic<bool>*>(done)->store(true); }
  };
  // Kept by who closes; the strand has run everything when it is called.
  auto* closed = new std::atomic<bool>(false);
  context.main_strand()->close(&Closed::call, closed);
  if (host.world->settle() && closed->load()) delete closed;
}

void destroy(pb_testing_host* raw) noexcept {
  std::unique_ptr<pb_testing_host> host(raw);
  if (!host) return;
  bool stuck = false;
  for (auto at = host->plugins.rbegin(); at != host->plugins.rend(); ++at) {
    (*at)->end();
    stuck = stuck || (*at)->stuck();
  }
  // What a stuck plugin may still touch stays where it is, and is no leak to who looks for such.
  if (stuck) {
    static auto* const kept = new std::vector<pb_testing_host*>;
    return kept->push_back(host.release());
  }
  end_client(*host);
  static_cast<void>(host->world->settle());
}

const pb_host* client(pb_testing_host* host) noexcept { return host->client->raw(); }

uint64_t link(pb_testing_host* host, const pb_entry* entry, pb_err* err) noexcept {
  auto life = PluginUnderTest::of(*host->world, *entry);
  if (!life) {
    write_error(err, life.error().code, life.error().text);
    return 0;
  }
  host->plugins.push_back(std::move(*life));
  return host->plugins.size();
}

uint64_t load(pb_testing_host* host, pb_str file, pb_err* err) noexcept {
  const auto entry = core::load_entry(string(file));
  if (entry) return link(host, *entry, err);
  write_error(err, entry.error().code, entry.error().text);
  return 0;
}

pb_str manifest(pb_testing_host* host, uint64_t plugin) noexcept {
  const PluginUnderTest* life = host->find(plugin);
  return life != nullptr ? text(life->manifest_text()) : pb_str{};
}

int32_t begin(pb_testing_host* host, uint64_t plugin, uint32_t step, const pb_testing_config* config,
              pb_err* err) noexcept {
  PluginUnderTest* life = host->find(plugin);
  if (life == nullptr) return write_error(err, Code::misuse, "there is no such plugin");
  const pb_testing_config none{sizeof(pb_testing_config), 0, {}, {}};
  const pb_testing_config& given = config != nullptr ? *config : none;
  return told(life->begin(step, view(given.plugin), view(given.tenants)), err);
}

int32_t answer(pb_testing_host* host, uint64_t plugin, int64_t wait_ms, int32_t* status,
               pb_err* err) noexcept {
  PluginUnderTest* life = host->find(plugin);
  if (life == nullptr) {
    *status = write_error(err, Code::misuse, "there is no such plugin");
    return 1;
  }
  const auto wait = wait_ms < 0 ? host->world->options().wait : std::chrono::milliseconds(wait_ms);
  const auto came = life->answer(wait);
  if (!came) return 0;
  *status = told(*came, err);
  return 1;
}

int32_t settle(pb_testing_host* host, pb_err* err) noexcept { return told(host->world->settle(), err); }

int32_t advance(pb_testing_host* host, int64_t ms, pb_err* err) noexcept {
  return told(host->world->advance(ms), err);
}

int32_t set_wall(pb_testing_host* host, int64_t wall_ms, pb_err* err) noexcept {
  return told(host->world->set_wall(wall_ms), err);
}

int32_t on_media(pb_testing_host* host, pb_fn fn, void* user) noexcept {
  host->world->on_media(fn, user);
  return PB_OK;
}

void sql(pb_testing_host* host, pb_str statement, const pb_value* values, uint32_t count, pb_rows_fn fn,
         void* user) noexcept {
  auto rows = host->world->sql(view(statement), core::read_values(values, count));
  if (rows) {
    const core::RowsView shown(*rows);
    return fn(user, PB_OK, shown.get(), nullptr);
  }
  pb_err err = empty_error();
  fn(user, write_error(&err, rows.error().code, rows.error().text), nullptr, &err);
}

uint64_t events(pb_testing_host* host, uint64_t from, void (*sink)(void*, const pb_recorded_event*) noexcept,
                void* user) noexcept {
  const auto& list = host->world->seen().events;
  const auto fresh = list.from(from);
  for (const RecordedEvent& event : fresh) {
    const pb_event raw{sizeof(pb_event),
                       0,
                       event.id,
                       event.time_ms,
                       text(event.topic),
                       text(event.tenant),
                       text(event.subject),
                       text(event.correlation),
                       text(event.payload)};
    const pb_recorded_event seen{sizeof(pb_recorded_event), 0, text(event.plugin), &raw};
    sink(user, &seen);
  }
  return from + fresh.size();
}

uint64_t lines(pb_testing_host* host, uint64_t from, void (*sink)(void*, const pb_recorded_line*) noexcept,
               void* user) noexcept {
  const auto& list = host->world->seen().lines;
  const auto fresh = list.from(from);
  for (const RecordedLine& line : fresh) {
    std::vector<pb_pair> fields;
    for (const auto& [key, value] : line.fields) fields.push_back({text(key), text(value)});
    const pb_recorded_line seen{sizeof(pb_recorded_line),
                                line.level,
                                text(line.plugin),
                                text(line.correlation),
                                text(line.text),
                                fields.data(),
                                static_cast<uint32_t>(fields.size()),
                                0};
    sink(user, &seen);
  }
  return from + fresh.size();
}

uint64_t ports(pb_testing_host* host, uint64_t from, void (*sink)(void*, const pb_recorded_port*) noexcept,
               void* user) noexcept {
  const auto& list = host->world->seen().ports;
  const auto fresh = list.from(from);
  for (const RecordedPort& port : fresh) {
    const pb_recorded_port seen{
        sizeof(pb_recorded_port), port.pull_rate_hz, port.push_rate_hz, 0, port.handle, text(port.plugin)};
    sink(user, &seen);
  }
  return from + fresh.size();
}

uint64_t problems(pb_testing_host* host, uint64_t from,
                  void (*sink)(void*, const pb_recorded_problem*) noexcept, void* user) noexcept {
  const auto& list = host->world->seen().problems;
  const auto fresh = list.from(from);
  for (const RecordedProblem& problem : fresh) {
    const pb_recorded_problem seen{sizeof(pb_recorded_problem), 0, text(problem.name), text(problem.plugin),
                                   text(problem.text)};
    sink(user, &seen);
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
