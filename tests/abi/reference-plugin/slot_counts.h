// Counts the calls of every function of the boundary: wraps the host's tables and the plugin's. slots.h is
// generated from the headers (tests/support/boundary_tool), so appended functions are counted, too.
#pragma once

#include <patchbay/plugin.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>

namespace reference {

template <auto Member>
std::atomic<uint64_t> calls_of{0};

template <auto Member, class Table>
auto use(const Table* table) {
  ++calls_of<Member>;
  return table->*Member;
}

// Wraps a pb_done; lives for the call it is passed to.
struct CountedDone {
  explicit CountedDone(const pb_done* real) : copy{sizeof copy, 0, new pb_done(*real), &CountedDone::call} {}
  static void call(void* self, int32_t status, const pb_err* err) noexcept {
    const std::unique_ptr<pb_done> real(static_cast<pb_done*>(self));
    use<&pb_done::call>(real.get())(real->self, status, err);
  }
  operator const pb_done*() const { return &copy; }  // NOLINT(google-explicit-constructor)
  pb_done copy;
};

template <class T>
T pass(T argument) {
  return argument;
}
inline CountedDone pass(const pb_done* done) { return CountedDone(done); }

template <class Table>
const Table* real_table = nullptr;

template <auto Member>
struct Counted {
  template <class Table>
  static void put(Table&) {}
};
template <class Table, class R, class... A, R (*Table::*Member)(A...) noexcept>
struct Counted<Member> {
  static R call(A... arguments) noexcept { return use<Member>(real_table<Table>)(pass(arguments)...); }
  static void put(Table& table) { table.*Member = &call; }
  template <class Other>
  static void put(Other&) {}
};

template <class Table>
const Table* counted(const void* real) {
  static Table table;
  if (real == nullptr) return nullptr;
  real_table<Table> = static_cast<const Table*>(real);
  // The table of an older core may be shorter.
  std::memcpy(&table, real, std::min<size_t>(sizeof table, *static_cast<const uint32_t*>(real)));
#define PB_SLOT(type, member) Counted<&type::member>::put(table);
#include "slots.h"
#undef PB_SLOT
  return &table;
}

inline const pb_host*& real_host() {
  static const pb_host* host = nullptr;
  return host;
}

inline const void* query(void* self, pb_str id, uint32_t min_size) noexcept {
  const void* table = use<&pb_host::query>(real_host())(self, id, min_size);
  const auto name = patchbay::from_abi(id);
  if (name == PB_RUNTIME_ID) return counted<pb_runtime>(table);
  if (name == PB_OBSERVE_ID) return counted<pb_observe>(table);
  if (name == PB_JSON_ID) return counted<pb_json>(table);
  if (name == PB_BUS_ID) return counted<pb_bus>(table);
  if (name == PB_STORE_ID) return counted<pb_store>(table);
  if (name == PB_SERVICES_ID) return counted<pb_services>(table);
  if (name == PB_MEDIA_ID) return counted<pb_media>(table);
  return table;
}

// "pb_bus.publish 3" per line.
inline void write_counts(const std::string& file) {
  std::FILE* out = std::fopen(file.c_str(), "w");
  if (out == nullptr) return;
#define PB_SLOT(type, member) \
  std::fprintf(out, #type "." #member " %llu\n", static_cast<unsigned long long>(calls_of<&type::member>));
#include "slots.h"
#undef PB_SLOT
  std::fclose(out);
}

inline void destroy(void* self) noexcept {
  const auto* store = real_table<pb_store>;
  const std::string folder(patchbay::from_abi(store->data_folder(real_host()->self)));
  use<&pb_plugin::destroy>(real_table<pb_plugin>)(self);
  write_counts(folder + "/slots");
}

template <class T>
int32_t create(const pb_host* host, const pb_plugin** table, void** self, pb_err* err) noexcept {
  ++calls_of<&pb_entry::create>;
  real_host() = host;
  static pb_host seen;
  seen = *host;
  seen.query = &query;
  const int32_t status = patchbay::detail::plugin_create<T>(&seen, table, self, err);
  if (status != PB_OK) return status;
  static pb_plugin mine;
  mine = *counted<pb_plugin>(*table);
  mine.destroy = &destroy;
  *table = &mine;
  return status;
}

}  // namespace reference

#define REFERENCE_PLUGIN(Class)                                                              \
  extern "C" __attribute__((visibility("default"), used))                                    \
  const pb_entry PATCHBAY_PLUGIN_SYMBOL = {PB_MAGIC,                                         \
                                           sizeof(pb_entry),                                 \
                                           PB_ABI_MAJOR,                                     \
                                           PB_ABI_MINOR,                                     \
                                           0,                                                \
                                           {PATCHBAY_MANIFEST_DATA, PATCHBAY_MANIFEST_SIZE}, \
                                           {PATCHBAY_STORE_DATA, PATCHBAY_STORE_SIZE},       \
                                           &reference::create<Class>};
