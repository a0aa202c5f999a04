// The functions of the host, a row each. Made from the rows:
// - in the core: the check for calls on media loops, query(), the kinds of handles, release_all();
// - in core/src/isolation: how a function, its callbacks and the closing of its handle cross to the process
//   of an isolated plugin;
// - in the fake host: which handles are reported as left behind or closed twice;
// - in `patchbay plugin validate`: the faults that it injects.
// A test compares the rows with the thread tags in the headers.
//
// A new function touches three files: its member in patchbay/abi, its row here, its body in the table's file
// (README.md). A function without a row does not compile.
#pragma once

#include <patchbay/abi.h>

#include <string_view>
#include <tuple>
#include <type_traits>

#include "abi/host_function_row.h"

namespace patchbay::core {

#define PB_ROW(function) \
  HostFunction { #function, &T::function }

template <>
struct HostTable<pb_runtime> {
  using T = pb_runtime;
  using K = HandleKind;
  static constexpr std::string_view id = PB_RUNTIME_ID;
  static constexpr const char* name = "runtime";
  static constexpr std::tuple functions{
      PB_ROW(strand_create).open(K::strand),
      PB_ROW(strand_post).allowed(),
      PB_ROW(strand_close).close(K::strand),
      PB_ROW(strand_is_current).harmless(),
      PB_ROW(worker_post).fail(PB_E_EXHAUSTED),
      PB_ROW(timer_start).open(K::timer),
      PB_ROW(timer_close).close(K::timer),
      PB_ROW(now).allowed(),
      PB_ROW(thread_kind).allowed(),
      PB_ROW(plugin_id).harmless(),
      PB_ROW(strand_run),
  };
};

template <>
struct HostTable<pb_observe> {
  using T = pb_observe;
  static constexpr std::string_view id = PB_OBSERVE_ID;
  static constexpr const char* name = "observe";
  static constexpr std::tuple functions{
      PB_ROW(log),
      PB_ROW(log_enabled).harmless().by_hand(),
      PB_ROW(secret_add).by_hand(),
      PB_ROW(secret_forget).by_hand(),
      PB_ROW(metric).fail().by_hand(),
      PB_ROW(metric_add).allowed().by_hand(),
      PB_ROW(metric_set).allowed().by_hand(),
      PB_ROW(report).fail(PB_E_UNSUPPORTED),
  };
};

template <>
struct HostTable<pb_json> {
  using T = pb_json;
  using K = HandleKind;
  static constexpr std::string_view id = PB_JSON_ID;
  static constexpr const char* name = "json";
  static constexpr std::tuple functions{
      PB_ROW(parse).open(K::document).fail(PB_E_INVALID),
      PB_ROW(free_doc).close(K::document),
      PB_ROW(root).harmless(),
      PB_ROW(type).harmless(),
      PB_ROW(count).harmless(),
      PB_ROW(at).harmless(),
      PB_ROW(key_at).harmless(),
      PB_ROW(get).harmless(),
      PB_ROW(boolean).harmless(),
      PB_ROW(integer).harmless(),
      PB_ROW(number).harmless(),
      PB_ROW(string).harmless(),
      PB_ROW(write),
      PB_ROW(schema).open(K::schema).fail(PB_E_EXHAUSTED),
      PB_ROW(schema_free).close(K::schema),
      PB_ROW(schema_read).open(K::document).fail(PB_E_INVALID),
  };
};

template <>
struct HostTable<pb_bus> {
  using T = pb_bus;
  using K = HandleKind;
  static constexpr std::string_view id = PB_BUS_ID;
  static constexpr const char* name = "bus";
  static constexpr std::tuple functions{
      PB_ROW(publish).fail(PB_E_EXHAUSTED),
      PB_ROW(subscribe).open(K::subscription).fail(PB_E_EXHAUSTED),
      PB_ROW(unsubscribe).close(K::subscription),
  };
};

template <>
struct HostTable<pb_store> {
  using T = pb_store;
  using K = HandleKind;
  static constexpr std::string_view id = PB_STORE_ID;
  static constexpr const char* name = "store";
  static constexpr std::tuple functions{
      PB_ROW(statement),
      PB_ROW(query).fail(PB_E_UNAVAILABLE),
      PB_ROW(begin).open(K::transaction).fail().by_hand(),
      PB_ROW(exec).fail(PB_E_GONE),
      PB_ROW(savepoint),
      PB_ROW(release),
      PB_ROW(emit).fail(PB_E_GONE),
      PB_ROW(job_add).fail(PB_E_GONE),
      PB_ROW(job_done),
      PB_ROW(job_retry),
      PB_ROW(job_cancel),
      PB_ROW(ack),
      PB_ROW(commit).close(K::transaction).fail(PB_E_UNAVAILABLE).by_hand(),
      PB_ROW(discard).close(K::transaction).by_hand(),
      PB_ROW(job_worker).open(K::job_worker).fail(),
      PB_ROW(job_worker_close).close(K::job_worker),
      PB_ROW(consumer).open(K::consumer).fail(PB_E_UNSUPPORTED),
      PB_ROW(consumer_close).close(K::consumer),
      PB_ROW(pending).fail(PB_E_UNAVAILABLE),
      PB_ROW(epoch).harmless().by_hand(),
      PB_ROW(seal).fail(),
      PB_ROW(unseal).fail(),
      PB_ROW(data_folder).harmless().by_hand(),
      PB_ROW(query_json).fail(PB_E_UNAVAILABLE),
      PB_ROW(read_log).fail(PB_E_UNAVAILABLE),
  };
};

template <>
struct HostTable<pb_services> {
  using T = pb_services;
  using K = HandleKind;
  static constexpr std::string_view id = PB_SERVICES_ID;
  static constexpr const char* name = "services";
  static constexpr std::tuple functions{
      PB_ROW(provide).open(K::instance).fail(PB_E_CONFLICT).by_hand(),
      PB_ROW(withdraw).close(K::instance),
      PB_ROW(query).open(K::lease).fail(),
      PB_ROW(open).open(K::lease).fail().granted(),
      PB_ROW(unlease).close(K::lease),
      PB_ROW(watch).open(K::watch),
      PB_ROW(unwatch).close(K::watch),
      PB_ROW(call).fail(PB_E_GONE).by_hand(),
      PB_ROW(caller).harmless().by_hand(),
      PB_ROW(watch_end).open(K::watch).granted(),
  };
};

template <>
struct HostTable<pb_media> {
  using T = pb_media;
  using K = HandleKind;
  static constexpr std::string_view id = PB_MEDIA_ID;
  static constexpr const char* name = "media";
  static constexpr std::tuple functions{
      PB_ROW(attach).open(K::attachment).fail().by_hand(),
      PB_ROW(detach).close(K::attachment).allowed().by_hand(),
      PB_ROW(port_create).open(K::port).fail().by_hand(),
      PB_ROW(port_close).close(K::port),
      PB_ROW(port_open).open(K::opening).fail().by_hand(),
      PB_ROW(port_release).close(K::opening).harmless().by_hand(),
      PB_ROW(loop_post).allowed().fail(PB_E_EXHAUSTED).by_hand(),
      PB_ROW(watch_open).open(K::loop_watch).fail().by_hand(),
      PB_ROW(watch_set).allowed().fail(PB_E_EXHAUSTED).by_hand(),
      PB_ROW(watch_close).close(K::loop_watch).allowed().by_hand(),
      PB_ROW(loop_timer_open).open(K::loop_timer).fail().by_hand(),
      PB_ROW(loop_timer_set).allowed().by_hand(),
      PB_ROW(loop_timer_close).close(K::loop_timer).allowed().by_hand(),
  };
};

#undef PB_ROW

// The tables of one host.
using HostTablePointers = std::tuple<const pb_runtime*, const pb_observe*, const pb_json*, const pb_bus*,
                                     const pb_store*, const pb_services*, const pb_media*>;

// f.template operator()<Table>() for each of them.
template <class F>
constexpr void for_each_table_type(F f) {
  [&]<class... T>(std::type_identity<std::tuple<const T*...>>) {
    (f.template operator()<T>(), ...);
  }(std::type_identity<HostTablePointers>());
}

// f(table) for each.
template <class F>
void for_each_table(const HostTablePointers& tables, F f) {
  std::apply([&](const auto*... table) { (f(*table), ...); }, tables);
}

// Finds a table as pb_host.query does.
inline const void* find_table(const HostTablePointers& tables, std::string_view id,
                              uint32_t min_size) noexcept {
  const void* found = nullptr;
  for_each_table(tables, [&]<class T>(const T& table) {
    static_assert(
        sizeof(T) == sizeof(uint64_t) + sizeof(void*) * std::tuple_size_v<decltype(HostTable<T>::functions)>,
        "a function of the table has no row");
    if (HostTable<T>::id == id && table.size >= min_size) found = &table;
  });
  return found;
}

}  // namespace patchbay::core
