// Host: the tables of the host, queried once. Lives as long as the plugin; the rest of the C++ layer borrows
// it.
#pragma once

#include <string>
#include <string_view>

#include "abi.h"
#include "buffer.h"
#include "function.h"
#include "guard.h"
#include "json.h"
#include "str.h"

namespace patchbay {

// The strand on which a callback runs; by default the plugin's main strand.
using StrandId = uint64_t;
constexpr StrandId kMainStrand = 0;

class Host {
 public:
  // Error: names the interface that the host lacks.
  static Result<Host> open(const pb_host* raw) {
    Host host;
    host.self = raw->self;
    PB_TRY(host.find(raw, PB_RUNTIME_ID, PB_RUNTIME_FLOOR, host.runtime));
    PB_TRY(host.find(raw, PB_OBSERVE_ID, PB_OBSERVE_FLOOR, host.observe));
    PB_TRY(host.find(raw, PB_JSON_ID, PB_JSON_FLOOR, host.json));
    PB_TRY(host.find(raw, PB_BUS_ID, PB_BUS_FLOOR, host.bus));
    PB_TRY(host.find(raw, PB_STORE_ID, PB_STORE_FLOOR, host.store));
    PB_TRY(host.find(raw, PB_SERVICES_ID, PB_SERVICES_FLOOR, host.services));
    PB_TRY(host.find(raw, PB_MEDIA_ID, PB_MEDIA_FLOOR, host.media));
    return host;
  }

  // Queries an interface of at least `size` bytes. Error: the host lacks it, or its table is shorter.
  template <class Table>
  static Result<const Table*> table(const pb_host* raw, const char* id, uint32_t size) {
    const void* found = raw->query(raw->self, to_abi(id), size);
    if (found != nullptr) return static_cast<const Table*>(found);
    const bool shorter = raw->query(raw->self, to_abi(id), 0) != nullptr;
    return Error{Code::unsupported,
                 std::string("this core ") + (shorter ? "is too old for it: its " : "does not offer ") + id +
                     (shorter ? " has fewer functions" : "") + "; run it with a newer core"};
  }

  void* self = nullptr;
  const pb_runtime* runtime = nullptr;
  const pb_observe* observe = nullptr;
  const pb_json* json = nullptr;
  const pb_bus* bus = nullptr;
  const pb_store* store = nullptr;
  const pb_services* services = nullptr;
  const pb_media* media = nullptr;

  // [any] [media] Milliseconds since 1970-01-01 UTC; may jump.
  int64_t wall_ms() const noexcept { return runtime->now(self, PB_CLOCK_WALL); }
  // [any] [media] Nanoseconds of the monotonic clock.
  int64_t mono_ns() const noexcept { return runtime->now(self, PB_CLOCK_MONO); }
  std::string_view plugin_id() const noexcept { return from_abi(runtime->plugin_id(self)); }
  // The existing folder for the plugin's files.
  std::string data_folder() const { return std::string(from_abi(store->data_folder(self))); }

  // [any] Parses JSON. Refuses texts above the limit without parsing; give the size that you expect, because
  // a parsed value takes at least 24 bytes, however short its text. The host accepts at most 16 MiB and a
  // million values.
  Result<Json> parse_json(std::string_view text, size_t max_bytes = size_t{16} << 20) const {
    if (text.size() > max_bytes)
      return Error{Code::exhausted, "JSON of " + std::to_string(text.size()) +
                                        " bytes exceeds the limit of " + std::to_string(max_bytes)};
    pb_json_doc* doc = nullptr;
    pb_err err = empty_error();
    const int32_t status = json->parse(self, to_abi(text), &doc, &err);
    if (status != PB_OK) return read_error(status, &err);
    return Json(json, self, doc);
  }
  std::string write_json(JsonView view) const {
    return std::string(Buffer::adopt(json->write(self, view.node())).view());
  }

  // [any] The current state of the server; see pb_observe.report.
  std::string report(std::string_view what) const {
    std::string text;
    observe->report(
        self, to_abi(what),
        [](void* user, pb_str part) noexcept { static_cast<std::string*>(user)->append(from_abi(part)); },
        &text);
    return text;
  }

  // [any] Logs an exception that a callback of the plugin threw.
  void log_thrown(std::string_view where, std::string_view text) const noexcept {
    log_fault("a callback threw an exception", where, text);
  }
  // [any] Logs a failure of the C++ layer that it cannot return.
  void log_fault(std::string_view fault, std::string_view where, std::string_view text) const noexcept {
    const pb_pair field{to_abi("where"), to_abi(where)};
    const pb_pair what{to_abi("what"), to_abi(text)};
    const pb_pair fields[] = {field, what};
    observe->log(self, PB_LOG_ERROR, pb_str{}, to_abi(fault), fields, 2);
  }

 private:
  template <class Table>
  static Status find(const pb_host* raw, const char* id, uint32_t floor, const Table*& found) {
    PB_TRY_VALUE(found, table<Table>(raw, id, floor));
    return {};
  }
};

// For start(): returns an error when the host's table lacks a function that was appended to it and that the
// plugin needs:  PB_NEEDS(PB_BUS_ID, host().bus, flush);  For optional functions use PB_HAS.
#define PB_NEEDS(id, table, member)                                                      \
  do {                                                                                   \
    if (!PB_HAS(table, member))                                                          \
      return ::patchbay::Error{::patchbay::Code::unsupported,                            \
                               "this core is too old for it: its " id " has no " #member \
                               "; run it with a newer core"};                            \
  } while (false)

inline Result<Schema> Schema::compile(const Host& host, std::string_view text) {
  pb_err err = empty_error();
  const uint64_t id = host.json->schema(host.self, to_abi(text), &err);
  if (id == 0) return read_error(err.code, &err);
  return Schema(host.json, host.self, id);
}

// A heap-allocated callable for the boundary's (fn, user) pairs; frees itself after its one run.
template <class F>
struct OneShot {
  const Host& host;
  const char* where;
  F f;

  static void run(void* user) noexcept {
    std::unique_ptr<OneShot> self(static_cast<OneShot*>(user));
    guard_void([&] { self->f(); }, [&](const char* text) { self->host.log_thrown(self->where, text); });
  }
};

}  // namespace patchbay
