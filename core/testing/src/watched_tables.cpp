#include <algorithm>
#include <utility>

#include "abi/text.h"
#include "bus/event.h"
#include "observe/redact.h"
#include "watched_media.h"
#include "watched_table.h"

namespace patchbay::fake {
namespace {

using core::bus_table, core::json_table, core::observe_table, core::runtime_table, core::services_table,
    core::store_table;
using core::string;

const pb_runtime kRuntime = [] {
  pb_runtime table = runtime_table();
  table.strand_create =
      Opens<Held::strand, "strand_create", &runtime_table, &pb_runtime::strand_create>::call;
  table.strand_close = Closes<Held::strand, "strand_close", &runtime_table, &pb_runtime::strand_close>::call;
  table.worker_post = Checked<"worker_post", &runtime_table, &pb_runtime::worker_post>::call;
  table.timer_start = Opens<Held::timer, "timer_start", &runtime_table, &pb_runtime::timer_start>::call;
  table.timer_close = Closes<Held::timer, "timer_close", &runtime_table, &pb_runtime::timer_close>::call;
  return table;
}();

int32_t publish(void* host, const pb_event* event) noexcept {
  WatchedHost* watcher = watched(host);
  watcher->off_media("publish");
  const int32_t status = bus_table().publish(host, event);
  if (status == PB_OK) {
    watcher->world().seen().events.add({watcher->id(), string(event->topic), string(event->tenant),
                                        string(event->subject), string(event->correlation),
                                        string(event->payload), 0, 0});
  }
  return status;
}

const pb_bus kBus = [] {
  pb_bus table = bus_table();
  table.publish = &publish;
  table.subscribe = Opens<Held::subscription, "subscribe", &bus_table, &pb_bus::subscribe>::call;
  table.unsubscribe = Closes<Held::subscription, "unsubscribe", &bus_table, &pb_bus::unsubscribe>::call;
  return table;
}();

const pb_store kStore = [] {
  pb_store table = store_table();
  table.statement = Checked<"statement", &store_table, &pb_store::statement>::call;
  table.query = Checked<"query", &store_table, &pb_store::query>::call;
  table.begin = Opens<Held::transaction, "begin", &store_table, &pb_store::begin>::call;
  table.exec = Checked<"exec", &store_table, &pb_store::exec>::call;
  table.emit = Checked<"emit", &store_table, &pb_store::emit>::call;
  table.job_add = Checked<"job_add", &store_table, &pb_store::job_add>::call;
  table.commit = Closes<Held::transaction, "commit", &store_table, &pb_store::commit>::call;
  table.discard = Closes<Held::transaction, "discard", &store_table, &pb_store::discard>::call;
  table.job_worker = Opens<Held::job_worker, "job_worker", &store_table, &pb_store::job_worker>::call;
  table.job_worker_close =
      Closes<Held::job_worker, "job_worker_close", &store_table, &pb_store::job_worker_close>::call;
  table.consumer = Opens<Held::consumer, "consumer", &store_table, &pb_store::consumer>::call;
  table.consumer_close =
      Closes<Held::consumer, "consumer_close", &store_table, &pb_store::consumer_close>::call;
  table.pending = Checked<"pending", &store_table, &pb_store::pending>::call;
  table.seal = Checked<"seal", &store_table, &pb_store::seal>::call;
  table.unseal = Checked<"unseal", &store_table, &pb_store::unseal>::call;
  return table;
}();

const pb_services kServices = [] {
  pb_services table = services_table();
  table.provide = Opens<Held::provision, "provide", &services_table, &pb_services::provide>::call;
  table.withdraw = Closes<Held::provision, "withdraw", &services_table, &pb_services::withdraw>::call;
  table.query = Opens<Held::lease, "query", &services_table, &pb_services::query>::call;
  table.open = Opens<Held::lease, "open", &services_table, &pb_services::open>::call;
  table.unlease = Closes<Held::lease, "unlease", &services_table, &pb_services::unlease>::call;
  table.watch = Opens<Held::watch, "watch", &services_table, &pb_services::watch>::call;
  table.unwatch = Closes<Held::watch, "unwatch", &services_table, &pb_services::unwatch>::call;
  table.call = Checked<"call", &services_table, &pb_services::call>::call;
  table.watch_end = Opens<Held::watch, "watch_end", &services_table, &pb_services::watch_end>::call;
  return table;
}();

constexpr std::string_view kThrown = "a callback threw an exception";

void log(void* host, uint32_t level, pb_str correlation, pb_str text, const pb_pair* fields,
         uint32_t count) noexcept {
  WatchedHost* watcher = watched(host);
  watcher->off_media("log");
  observe_table().log(host, level, correlation, text, fields, count);
  const core::observe::Redactor& redactor = watcher->world().parts().log.redactor();
  SeenLine line{watcher->id(), level, string(correlation), redactor.sentence(core::view(text)), {}};
  std::string shown;
  for (uint32_t i = 0; i < count; ++i) {
    std::string key = string(fields[i].key);
    std::string value = core::observe::Redactor::is_secret_name(key)
                            ? "[redacted]"
                            : redactor.value(core::view(fields[i].value));
    shown.append(" ").append(key).append("=").append(value);
    line.fields.emplace_back(std::move(key), std::move(value));
  }
  if (line.text == kThrown) watcher->world().problem("thrown", watcher->id(), line.text + ":" + shown);
  watcher->world().seen().lines.add(std::move(line));
}

const pb_observe kObserve = [] {
  pb_observe table = observe_table();
  table.log = &log;
  table.secret_add = Checked<"secret_add", &observe_table, &pb_observe::secret_add>::call;
  table.secret_forget = Checked<"secret_forget", &observe_table, &pb_observe::secret_forget>::call;
  table.metric = Checked<"metric", &observe_table, &pb_observe::metric>::call;
  table.report = Checked<"report", &observe_table, &pb_observe::report>::call;
  return table;
}();

uint64_t number_of(const pb_json_doc* doc) noexcept { return reinterpret_cast<uintptr_t>(doc); }

int32_t parse(void* host, pb_str text, pb_json_doc** doc, pb_err* err) noexcept {
  WatchedHost* watcher = watched(host);
  watcher->off_media("parse");
  const int32_t status = json_table().parse(host, text, doc, err);
  if (status == PB_OK) watcher->opened(Held::document, number_of(*doc));
  return status;
}

int32_t schema_read(void* host, uint64_t schema, pb_str text, pb_json_doc** doc, pb_err* err) noexcept {
  WatchedHost* watcher = watched(host);
  watcher->off_media("schema_read");
  const int32_t status = json_table().schema_read(host, schema, text, doc, err);
  if (status == PB_OK) watcher->opened(Held::document, number_of(*doc));
  return status;
}

void free_doc(void* host, pb_json_doc* doc) noexcept {
  watched(host)->closed(Held::document, number_of(doc), "free_doc");
  json_table().free_doc(host, doc);
}

const pb_json kJson = [] {
  pb_json table = json_table();
  table.parse = &parse;
  table.free_doc = &free_doc;
  table.write = Checked<"write", &json_table, &pb_json::write>::call;
  table.schema = Opens<Held::schema, "schema", &json_table, &pb_json::schema>::call;
  table.schema_free = Closes<Held::schema, "schema_free", &json_table, &pb_json::schema_free>::call;
  table.schema_read = &schema_read;
  return table;
}();

}  // namespace

const void* watched_table(std::string_view id, uint32_t min_size) noexcept {
  struct Entry {
    std::string_view id;
    const void* table;
    uint32_t size;
  };
  const Entry entries[] = {
      {PB_RUNTIME_ID, &kRuntime, sizeof(pb_runtime)},
      {PB_OBSERVE_ID, &kObserve, sizeof(pb_observe)},
      {PB_JSON_ID, &kJson, sizeof(pb_json)},
      {PB_BUS_ID, &kBus, sizeof(pb_bus)},
      {PB_STORE_ID, &kStore, sizeof(pb_store)},
      {PB_SERVICES_ID, &kServices, sizeof(pb_services)},
      {PB_MEDIA_ID, &watched_media(), sizeof(pb_media)},
  };
  for (const Entry& entry : entries) {
    if (entry.id == id) return entry.size >= min_size ? entry.table : nullptr;
  }
  return nullptr;
}

}  // namespace patchbay::fake
