#include "plugin_validate/fault_injector.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <sstream>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "abi/interposer.h"

namespace patchbay::app::validate::faults {
namespace {

using core::host_function;

// One per process, as the plugin under test.
struct State {
  const pb_entry* real = nullptr;
  pb_entry entry{};
  const void* (*query)(void*, pb_str, uint32_t) noexcept = nullptr;
  std::atomic<int> failing{-1};
  std::mutex mutex;
  std::string hidden;         // this and the members below are guarded by `mutex`
  std::deque<pb_host> hosts;  // live as long as the process
  std::vector<Provided> provided;
  std::vector<std::string> patterns;
};
State& state() {
  static State all;
  return all;
}

// Copies of the host's tables, made at their first query, and the wrapped ones.
template <class T>
T real_table{};
template <class T>
T our_table{};

// The index of the table's function I in functions().
template <class T, size_t I>
constexpr int index_of() {
  int index = 0;
  bool passed = false;
  core::for_each_table_type([&]<class U>() {
    core::for_each_function<U>([&]<size_t J>() {
      if (std::is_same_v<T, U> && I == J) passed = true;
      if (!passed && host_function<U, J>().can_fail) ++index;
    });
  });
  return index;
}

template <class T, size_t I>
bool fails() {
  return host_function<T, I>().can_fail &&
         state().failing.load(std::memory_order_relaxed) == index_of<T, I>();
}

// Whether that is the table's function I.
template <class T, size_t I>
constexpr bool is(std::string_view function) {
  return function == host_function<T, I>().name;
}
template <class T>
bool fails(std::string_view function) {
  bool found = false;
  core::for_each_function<T>([&]<size_t I>() { found = found || (is<T, I>(function) && fails<T, I>()); });
  return found;
}

constexpr char kWhy[] = "injected failure";

void explain(pb_err* err, int32_t code) {
  if (err == nullptr || err->size < sizeof *err) return;
  err->code = code;
  std::strncpy(err->text, kWhy, sizeof err->text - 1);
}

// Calls the callback of an asynchronous function with an error.
template <class Found>
void refuse(void (*fn)(void*, int32_t, const Found*, const pb_err*) noexcept, void* user, int32_t code) {
  pb_err err{};
  err.size = sizeof err;
  explain(&err, code);
  fn(user, code, nullptr, &err);
}
void refuse(pb_json_rows_fn fn, void* user, int32_t code) {
  pb_err err{};
  err.size = sizeof err;
  explain(&err, code);
  fn(user, code, nullptr, 0, &err);
}
void refuse(pb_event_log_fn fn, void* user, int32_t code) {
  pb_err err{};
  err.size = sizeof err;
  explain(&err, code);
  fn(user, code, nullptr, 0, 0, 0, &err);
}
void refuse(pb_events_fn fn, void* user, int32_t code) { fn(user, code, nullptr, 0); }
void refuse(pb_commit_fn fn, void* user, int32_t code) {
  pb_commit outcome{};
  outcome.size = sizeof outcome;
  outcome.status = code;
  outcome.failed_operation = -1;
  outcome.text = {kWhy, sizeof kWhy - 1};
  fn(user, &outcome);
}

// Runs `answer` on the given strand.
void post(void* host, uint64_t strand, std::function<void()> answer) {
  auto* task = new std::function<void()>(std::move(answer));
  const auto run = [](void* user) noexcept {
    const std::unique_ptr<std::function<void()>> held(static_cast<std::function<void()>*>(user));
    (*held)();
  };
  if (real_table<pb_runtime>.strand_post(host, strand, run, task) != PB_OK) delete task;
}

template <class... A>
void fail_later(void* host, int32_t code, A... arguments) {
  const auto all = std::make_tuple(arguments...);
  constexpr size_t count = sizeof...(A);
  const uint64_t strand = std::get<count - 3>(all);
  const auto fn = std::get<count - 2>(all);
  void* user = std::get<count - 1>(all);
  if (fn != nullptr) post(host, strand, [=] { refuse(fn, user, code); });
}

template <class R, class... A>
R fail_now(int32_t code, A... arguments) {
  [[maybe_unused]] const auto look = [&](auto argument) {
    if constexpr (std::is_same_v<decltype(argument), pb_err*>) explain(argument, code);
  };
  (look(arguments), ...);
  if constexpr (std::is_same_v<R, int32_t>) {
    return code;
  } else {
    return R{};
  }
}

void remember_patterns(pb_str patterns) {
  const std::lock_guard lock(state().mutex);
  std::istringstream words(std::string(patterns.data, patterns.len));
  auto& all = state().patterns;
  for (std::string word; words >> word;)
    if (std::find(all.begin(), all.end(), word) == all.end()) all.push_back(word);
}

// Records what the plugin provides and subscribes to.
template <class T, size_t I, class... A>
void record_call(const std::tuple<A...>& arguments) {
  if constexpr (std::is_same_v<T, pb_bus> && is<T, I>("subscribe")) {
    remember_patterns(std::get<0>(arguments)->pattern);
  } else if constexpr (std::is_same_v<T, pb_store> && is<T, I>("consumer")) {
    remember_patterns(std::get<1>(arguments));
  } else if constexpr (std::is_same_v<T, pb_services> && is<T, I>("withdraw")) {
    const std::lock_guard lock(state().mutex);
    std::erase_if(state().provided,
                  [&](const Provided& each) { return each.instance == std::get<0>(arguments); });
  }
}

struct Faults {
  template <class T, size_t I>
  static constexpr bool wants() {
    return host_function<T, I>().can_fail || (std::is_same_v<T, pb_services> && is<T, I>("withdraw"));
  }

  template <class T, size_t I, class... A>
  static auto call(void* host, A... arguments) noexcept {
    constexpr auto row = host_function<T, I>();
    using R = decltype((real_table<T>.*row.member)(host, arguments...));
    record_call<T, I>(std::make_tuple(arguments...));
    if constexpr (std::is_same_v<T, pb_store> && is<T, I>("commit")) {
      // An operation fails only when its transaction is gone, so the commit has to fail, too.
      const bool lost = fails<T>("exec") || fails<T>("emit") || fails<T>("job_add");
      if (lost || fails<T, I>()) {
        real_table<T>.discard(host, std::get<0>(std::make_tuple(arguments...)));
        return fail_later(host, lost ? PB_E_GONE : row.failure, arguments...);
      }
    } else if (fails<T, I>()) {
      if constexpr (!std::is_void_v<R>) {
        return fail_now<R>(row.failure, arguments...);
      } else if constexpr (row.can_fail) {
        return fail_later(host, row.failure, arguments...);
      }
    }
    if constexpr (std::is_same_v<T, pb_services> && is<T, I>("provide")) {
      const R instance = (real_table<T>.*row.member)(host, arguments...);
      const std::lock_guard lock(state().mutex);
      if (instance != 0) state().provided.push_back({std::get<0>(std::make_tuple(arguments...)), instance});
      return instance;
    } else {
      return (real_table<T>.*row.member)(host, arguments...);
    }
  }
};

template <class T>
const void* ours(const void* found) {
  const std::lock_guard lock(state().mutex);
  if (real_table<T>.size == 0) {
    real_table<T> = *static_cast<const T*>(found);
    our_table<T> = core::interposed<Faults>(real_table<T>);
  }
  return &our_table<T>;
}

const void* query(void* self, pb_str id, uint32_t min_size) noexcept {
  const std::string_view name(id.data, id.len);
  {
    const std::lock_guard lock(state().mutex);
    if (name == state().hidden) return nullptr;
  }
  const void* found = state().query(self, id, min_size);
  if (found == nullptr) return nullptr;
  const void* table = found;
  core::for_each_table_type([&]<class T>() {
    if (name == core::HostTable<T>::id) table = ours<T>(found);
  });
  return table;
}

int32_t create(const pb_host* host, const pb_plugin** table, void** self, pb_err* err) noexcept {
  state().query = host->query;
  // Copied now, because post() needs it even if the plugin never queries it.
  static constexpr std::string_view kRuntime = PB_RUNTIME_ID;
  ours<pb_runtime>(host->query(host->self, {kRuntime.data(), kRuntime.size()}, PB_RUNTIME_FLOOR));
  state().hosts.push_back({sizeof(pb_host), host->abi_minor, host->self, &query});
  return state().real->create(&state().hosts.back(), table, self, err);
}

}  // namespace

const std::vector<std::string>& functions() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    core::for_each_table_type([&]<class T>() {
      core::for_each_function<T>([&]<size_t I>() {
        constexpr auto row = host_function<T, I>();
        if (row.can_fail) names.push_back(std::string(core::HostTable<T>::name) + "." + row.name);
      });
    });
    return names;
  }();
  return all;
}

const std::vector<std::string>& interfaces() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> ids;
    core::for_each_table_type([&]<class T>() { ids.emplace_back(core::HostTable<T>::id); });
    return ids;
  }();
  return all;
}

const pb_entry& wrap(const pb_entry& real) {
  State& injector = state();
  const std::lock_guard lock(injector.mutex);
  injector.real = &real;
  injector.entry = real;
  injector.entry.size = sizeof(pb_entry);
  injector.entry.create = &create;
  injector.provided.clear();
  injector.patterns.clear();
  injector.hidden.clear();
  injector.failing = -1;
  return injector.entry;
}

void fail_function(int index) { state().failing = index; }

void hide_interface(const std::string& id) {
  const std::lock_guard lock(state().mutex);
  state().hidden = id;
}

std::vector<Provided> provided() {
  const std::lock_guard lock(state().mutex);
  return state().provided;
}

std::vector<std::string> patterns() {
  const std::lock_guard lock(state().mutex);
  return state().patterns;
}

}  // namespace patchbay::app::validate::faults
