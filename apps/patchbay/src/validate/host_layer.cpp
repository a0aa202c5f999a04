#include "validate/host_layer.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <tuple>
#include <type_traits>

#include "validate/slot_list.h"

namespace patchbay::app::validate::layer {
namespace {

// What the layer knows. One per process, like the plugin under test.
struct Layer {
  const pb_entry* real = nullptr;
  pb_entry entry{};
  const void* (*query)(void*, pb_str, uint32_t) noexcept = nullptr;
  std::atomic<int> failing{-1};
  std::mutex mutex;
  std::string hidden;         // guarded by mutex, as what follows
  std::deque<pb_host> hosts;  // live as long as the process
  std::vector<Provided> provided;
  std::vector<std::string> patterns;
};
Layer& the() {
  static Layer layer;
  return layer;
}

// The host's own tables, copied when they are first asked for.
template <class T>
T real_table{};
template <class T>
T our_table{};

bool fails(int slot) { return the().failing.load(std::memory_order_relaxed) == slot; }
int32_t code_of(int slot) { return slots()[static_cast<size_t>(slot)].code; }

constexpr char kWhy[] = "the host has trouble of its own";

void explain(pb_err* err, int slot) {
  if (err == nullptr || err->size < sizeof *err) return;
  err->code = code_of(slot);
  std::strncpy(err->text, kWhy, sizeof err->text - 1);
}
pb_err explained(int slot) {
  pb_err err{};
  err.size = sizeof err;
  explain(&err, slot);
  return err;
}

// A function that says a status, or gives a handle or a pointer.
template <int slot, auto member>
struct Failing;
template <int slot, class T, class R, class... A, R (*T::*member)(A...) noexcept>
struct Failing<slot, member> {
  static R call(A... arguments) noexcept {
    if (!fails(slot)) return (real_table<T>.*member)(arguments...);
    if constexpr (sizeof...(A) > 0) {
      if constexpr (std::is_same_v<std::tuple_element_t<sizeof...(A) - 1, std::tuple<A...>>, pb_err*>)
        explain(std::get<sizeof...(A) - 1>(std::tuple<A...>(arguments...)), slot);
    }
    if constexpr (std::is_same_v<R, int32_t>) {
      return code_of(slot);
    } else {
      return R{};
    }
  }
};

// Functions that answer later answer with an error, on the strand they were given.
void later(void* host, uint64_t strand, std::function<void()> answer) {
  auto* task = new std::function<void()>(std::move(answer));
  const auto run = [](void* user) noexcept {
    const std::unique_ptr<std::function<void()>> held(static_cast<std::function<void()>*>(user));
    (*held)();
  };
  if (real_table<pb_runtime>.strand_post(host, strand, run, task) != PB_OK) delete task;
}

constexpr int kQuery = slot_index("store.query");
constexpr int kCommit = slot_index("store.commit");
constexpr int kPending = slot_index("store.pending");
constexpr int kCall = slot_index("services.call");

void query(void* host, uint64_t statement, const pb_value* values, uint32_t count, uint64_t strand,
           pb_rows_fn fn, void* user) noexcept {
  if (!fails(kQuery)) return real_table<pb_store>.query(host, statement, values, count, strand, fn, user);
  later(host, strand, [=] {
    const pb_err err = explained(kQuery);
    fn(user, err.code, nullptr, &err);
  });
}

void commit(void* host, uint64_t tx, uint64_t strand, pb_commit_fn fn, void* user) noexcept {
  // A transaction that lost an operation is gone: that is the only reason why an operation fails.
  const bool lost = fails(slot_index("store.exec")) || fails(slot_index("store.emit")) ||
                    fails(slot_index("store.job_add"));
  if (!fails(kCommit) && !lost) return real_table<pb_store>.commit(host, tx, strand, fn, user);
  real_table<pb_store>.discard(host, tx);
  if (fn == nullptr) return;
  later(host, strand, [=] {
    pb_commit outcome{};
    outcome.size = sizeof outcome;
    outcome.status = lost ? PB_E_GONE : code_of(kCommit);
    outcome.failed_operation = -1;
    outcome.text = {kWhy, sizeof kWhy - 1};
    fn(user, &outcome);
  });
}

void pending(void* host, uint64_t consumer, uint32_t limit, uint64_t strand,
             void (*fn)(void*, int32_t, const pb_event* const*, uint32_t) noexcept, void* user) noexcept {
  if (!fails(kPending)) return real_table<pb_store>.pending(host, consumer, limit, strand, fn, user);
  later(host, strand, [=] { fn(user, code_of(kPending), nullptr, 0); });
}

void call(void* host, uint64_t lease, const pb_interface* caller, uint32_t slot, const pb_message* request,
          uint64_t strand, pb_reply_fn fn, void* user) noexcept {
  if (!fails(kCall))
    return real_table<pb_services>.call(host, lease, caller, slot, request, strand, fn, user);
  if (fn == nullptr) return;
  later(host, strand, [=] {
    const pb_err err = explained(kCall);
    fn(user, err.code, nullptr, &err);
  });
}

// What is looked at on its way.
constexpr int kProvide = slot_index("services.provide");
constexpr int kSubscribe = slot_index("bus.subscribe");
constexpr int kConsumer = slot_index("store.consumer");

uint64_t provide(void* host, const pb_interface* what, int32_t is_public, uint64_t strand, pb_method_fn fn,
                 void* self, pb_err* err) noexcept {
  const uint64_t id =
      Failing<kProvide, &pb_services::provide>::call(host, what, is_public, strand, fn, self, err);
  if (id != 0) {
    const std::lock_guard lock(the().mutex);
    the().provided.push_back({what, id});
  }
  return id;
}

void withdraw(void* host, uint64_t instance, pb_fn done, void* user) noexcept {
  {
    const std::lock_guard lock(the().mutex);
    auto& all = the().provided;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const Provided& each) { return each.instance == instance; }),
              all.end());
  }
  real_table<pb_services>.withdraw(host, instance, done, user);
}

void remember_patterns(pb_str patterns) {
  const std::lock_guard lock(the().mutex);
  std::string word;
  for (const char c : std::string(patterns.data, patterns.len) + ' ') {
    if (c != ' ') {
      word += c;
      continue;
    }
    auto& all = the().patterns;
    if (!word.empty() && std::find(all.begin(), all.end(), word) == all.end()) all.push_back(word);
    word.clear();
  }
}

uint64_t subscribe(void* host, const pb_subscription* what, pb_event_fn fn, void* user,
                   pb_err* err) noexcept {
  remember_patterns(what->pattern);
  return Failing<kSubscribe, &pb_bus::subscribe>::call(host, what, fn, user, err);
}

uint64_t consumer(void* host, pb_str name, pb_str patterns, uint64_t strand, pb_fn wake, void* user,
                  pb_err* err) noexcept {
  remember_patterns(patterns);
  return Failing<kConsumer, &pb_store::consumer>::call(host, name, patterns, strand, wake, user, err);
}

template <class T>
const void* own(const void* found, void (*change)(T&)) {
  const std::lock_guard lock(the().mutex);
  if (real_table<T>.size == 0) {
    real_table<T> = *static_cast<const T*>(found);
    our_table<T> = real_table<T>;
    change(our_table<T>);
  }
  return &our_table<T>;
}

#define PATCHBAY_FAILING(table, member) \
  ours.member = &Failing<slot_index(#table "." #member), &pb_##table::member>::call

void change_runtime(pb_runtime& ours) { PATCHBAY_FAILING(runtime, worker_post); }
void change_observe(pb_observe& ours) {
  PATCHBAY_FAILING(observe, metric);
  PATCHBAY_FAILING(observe, report);
}
void change_json(pb_json& ours) {
  PATCHBAY_FAILING(json, parse);
  PATCHBAY_FAILING(json, schema);
  PATCHBAY_FAILING(json, schema_read);
}
void change_bus(pb_bus& ours) {
  PATCHBAY_FAILING(bus, publish);
  ours.subscribe = &subscribe;
}
void change_store(pb_store& ours) {
  PATCHBAY_FAILING(store, begin);
  PATCHBAY_FAILING(store, exec);
  PATCHBAY_FAILING(store, emit);
  PATCHBAY_FAILING(store, job_add);
  PATCHBAY_FAILING(store, job_worker);
  PATCHBAY_FAILING(store, seal);
  PATCHBAY_FAILING(store, unseal);
  ours.query = &query;
  ours.commit = &commit;
  ours.pending = &pending;
  ours.consumer = &consumer;
}
void change_services(pb_services& ours) {
  PATCHBAY_FAILING(services, query);
  PATCHBAY_FAILING(services, open);
  ours.provide = &provide;
  ours.withdraw = &withdraw;
  ours.call = &call;
}
void change_media(pb_media& ours) {
  PATCHBAY_FAILING(media, attach);
  PATCHBAY_FAILING(media, port_create);
  PATCHBAY_FAILING(media, port_open);
}
#undef PATCHBAY_FAILING

const void* layered_query(void* self, pb_str id, uint32_t min_size) noexcept {
  const std::string_view name(id.data, id.len);
  {
    const std::lock_guard lock(the().mutex);
    if (name == the().hidden) return nullptr;
  }
  const void* found = the().query(self, id, min_size);
  if (found == nullptr) return nullptr;
  if (name == PB_RUNTIME_ID) return own<pb_runtime>(found, &change_runtime);
  if (name == PB_OBSERVE_ID) return own<pb_observe>(found, &change_observe);
  if (name == PB_JSON_ID) return own<pb_json>(found, &change_json);
  if (name == PB_BUS_ID) return own<pb_bus>(found, &change_bus);
  if (name == PB_STORE_ID) return own<pb_store>(found, &change_store);
  if (name == PB_SERVICES_ID) return own<pb_services>(found, &change_services);
  if (name == PB_MEDIA_ID) return own<pb_media>(found, &change_media);
  return found;
}

int32_t layered_create(const pb_host* host, const pb_plugin** table, void** self, pb_err* err) noexcept {
  the().query = host->query;
  // later() needs it, whether or not the plugin asks.
  static constexpr std::string_view kRuntime = PB_RUNTIME_ID;
  own<pb_runtime>(host->query(host->self, {kRuntime.data(), kRuntime.size()}, PB_RUNTIME_FLOOR),
                  &change_runtime);
  the().hosts.push_back({sizeof(pb_host), host->abi_minor, host->self, &layered_query});
  return the().real->create(&the().hosts.back(), table, self, err);
}

}  // namespace

const std::vector<Slot>& slots() {
  static const std::vector<Slot> all(std::begin(kSlots), std::end(kSlots));
  return all;
}

const std::vector<const char*>& interfaces() {
  static const std::vector<const char*> all{PB_RUNTIME_ID, PB_OBSERVE_ID,  PB_JSON_ID, PB_BUS_ID,
                                            PB_STORE_ID,   PB_SERVICES_ID, PB_MEDIA_ID};
  return all;
}

const pb_entry& over(const pb_entry& real) {
  Layer& layer = the();
  const std::lock_guard lock(layer.mutex);
  layer.real = &real;
  layer.entry = real;
  layer.entry.size = sizeof(pb_entry);
  layer.entry.create = &layered_create;
  layer.provided.clear();
  layer.patterns.clear();
  layer.hidden.clear();
  layer.failing = -1;
  return layer.entry;
}

void fail_slot(int index) { the().failing = index; }

void hide_interface(const std::string& id) {
  const std::lock_guard lock(the().mutex);
  the().hidden = id;
}

std::vector<Provided> provided() {
  const std::lock_guard lock(the().mutex);
  return the().provided;
}

std::vector<std::string> patterns() {
  const std::lock_guard lock(the().mutex);
  return the().patterns;
}

}  // namespace patchbay::app::validate::layer
