// HostFunction: describes a function of the host, beside its signature (patchbay/abi) and its body
// (*_table.cpp). host_functions.h has a row for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace patchbay::core {

// Kinds of objects that plugins hold by handle; `none`: no handle.
enum class HandleKind : uint8_t {
  none,
  strand,
  timer,
  subscription,
  instance,
  lease,
  watch,
  transaction,
  job_worker,
  consumer,
  attachment,
  port,
  opening,
  loop_watch,
  loop_timer,
  schema,
  document
};
constexpr size_t kHandleKinds = 17;

// Its name in messages, singular; the plural has an s at the end.
constexpr const char* name_of(HandleKind kind) noexcept {
  constexpr const char* kNames[kHandleKinds] = {
      "nothing",      "strand",      "timer",       "subscription", "provision",        "lease",
      "watch",        "transaction", "job worker",  "consumer",     "media attachment", "port",
      "port opening", "media watch", "media timer", "schema",       "JSON document"};
  return kNames[static_cast<size_t>(kind)];
}

// How a call on a media loop is treated.
enum class OnMedia : uint8_t {
  reported,  // wrong, because the function may wait or allocate: the host logs it, the call goes on
  harmless,  // not promised, but it neither waits nor allocates: the host does not check
  allowed    // [media] in the header
};

template <class Member>
struct HostFunction {
  const char* name;  // "commit"
  Member member;     // &pb_store::commit
  OnMedia on_media = OnMedia::reported;
  // Kind of the handle that it returns, or that it puts into its last argument but one (a document).
  HandleKind opens = HandleKind::none;
  // Kind of the handle in its first argument, which is closed afterwards.
  HandleKind closes = HandleKind::none;
  // Whether it can fail, and with which status; 0: it returns 0 or NULL then. A function that returns nothing
  // fails later, through its callback.
  bool can_fail = false;
  int32_t failure = 0;
  // Whether its first argument may name a handle of another plugin. A plugin in a separate process can use
  // such a handle only if it was given to it.
  bool takes_granted = false;
  // Whether it needs more than its signature to cross to a separate process, or does not cross because it is
  // answered there: core/src/isolation implements it by hand.
  bool crosses_by_hand = false;

  constexpr HostFunction harmless() const { return with(&HostFunction::on_media, OnMedia::harmless); }
  constexpr HostFunction allowed() const { return with(&HostFunction::on_media, OnMedia::allowed); }
  constexpr HostFunction open(HandleKind kind) const { return with(&HostFunction::opens, kind); }
  constexpr HostFunction close(HandleKind kind) const { return with(&HostFunction::closes, kind); }
  constexpr HostFunction fail(int32_t status = 0) const {
    return with(&HostFunction::can_fail, true).with(&HostFunction::failure, status);
  }
  constexpr HostFunction granted() const { return with(&HostFunction::takes_granted, true); }
  constexpr HostFunction by_hand() const { return with(&HostFunction::crosses_by_hand, true); }

 private:
  template <class T>
  constexpr HostFunction with(T HostFunction::*what, T value) const {
    HostFunction changed = *this;
    changed.*what = value;
    return changed;
  }
};
template <class Member>
HostFunction(const char*, Member) -> HostFunction<Member>;

// Members of tables that take the host as their first argument.
template <class Member>
struct TakesHost {
  static constexpr bool value = false;
};
template <class T, class R, class... A>
struct TakesHost<R (*T::*)(void*, A...) noexcept> {
  static constexpr bool value = true;
};

// Specialised in host_functions.h: `id`, `name`, and `functions`, a tuple of HostFunction in the table's
// order.
template <class Table>
struct HostTable;

// f.template operator()<I>() for each function of a table.
template <class Table, class F>
constexpr void for_each_function(F f) {
  [&]<size_t... I>(std::index_sequence<I...>) { (f.template operator()<I>(), ...); }
  (std::make_index_sequence<std::tuple_size_v<decltype(HostTable<Table>::functions)>>());
}

template <class Table, size_t I>
constexpr auto host_function() {
  return std::get<I>(HostTable<Table>::functions);
}

}  // namespace patchbay::core
