// Arguments: writes and reads the arguments of the boundary's functions and callbacks in frames, by their C
// types, so that one signature serves both halves. A list is a pointer and the count that follows it.
// Callbacks, their `user`, the strand in front of them, errors and sinks do not cross: they are read as 0,
// and the reader fills them in.
#pragma once

#include <patchbay/abi.h>
#include <patchbay/buffer.h>
#include <patchbay/host.h>
#include <patchbay/str.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include "isolation/frame.h"
#include "isolation/store/store_wire.h"
#include "observe/log.h"

namespace patchbay::core::isolation {

// The fields of a struct that crosses, without its size. A strand in it does not cross.
template <class T>
inline constexpr auto kFields = std::tuple<>();
template <>
inline constexpr auto kFields<pb_pair> = std::tuple{&pb_pair::key, &pb_pair::value};
template <>
inline constexpr auto kFields<pb_event> = std::tuple{
    &pb_event::flags,   &pb_event::id,          &pb_event::time_ms, &pb_event::topic,     &pb_event::tenant,
    &pb_event::subject, &pb_event::correlation, &pb_event::payload, &pb_event::tenant_seq};
template <>
inline constexpr auto kFields<pb_job> =
    std::tuple{&pb_job::tries, &pb_job::id,     &pb_job::fence, &pb_job::due_ms,
               &pb_job::kind,  &pb_job::tenant, &pb_job::key,   &pb_job::body};
template <>
inline constexpr auto kFields<pb_subscription> =
    std::tuple{&pb_subscription::queue_max, &pb_subscription::policy, &pb_subscription::pattern,
               &pb_subscription::tenant};
template <class T>
concept HasFields = std::tuple_size_v<std::remove_cv_t<decltype(kFields<T>)>> >
0;
template <class T>
concept Grows = requires(T value) {
  value.size;
};

inline void put_argument(Encoder& out, uint32_t value) { out.u32(value); }
inline void put_argument(Encoder& out, int32_t value) { out.u32(static_cast<uint32_t>(value)); }
inline void put_argument(Encoder& out, uint64_t value) { out.u64(value); }
inline void put_argument(Encoder& out, int64_t value) { out.i64(value); }
inline void put_argument(Encoder& out, pb_str value) { out.str(from_abi(value)); }
inline void put_argument(Encoder& out, const pb_rows* value) { put_rows(out, value); }
inline void put_argument(Encoder& out, const pb_commit* value) { put_outcome(out, *value); }
inline void put_argument(Encoder& out, pb_buf* value) {
  out.u32(value != nullptr ? 1 : 0);
  if (value != nullptr) out.str({reinterpret_cast<const char*>(value->data), value->len});
}
inline void put_argument(Encoder& out, const pb_err* value) {
  out.u32(static_cast<uint32_t>(value != nullptr ? value->code : PB_OK))
      .str(value != nullptr ? value->text : "");
}
inline void put_argument(Encoder& out, const pb_value& value) { put_value(out, value); }
// 0 for a field beyond the size of a struct whose author built with an older header.
template <class T, class F>
void put_field(Encoder& out, const T& value, F T::*field) {
  if constexpr (Grows<T>) {
    const auto* end = reinterpret_cast<const char*>(&(value.*field)) + sizeof(F);
    if (end > reinterpret_cast<const char*>(&value) + value.size) return put_argument(out, F{});
  }
  put_argument(out, value.*field);
}
template <HasFields T>
void put_argument(Encoder& out, const T& value) {
  std::apply([&](auto... field) { (put_field(out, value, field), ...); }, kFields<T>);
}
template <HasFields T>
void put_argument(Encoder& out, const T* value) {
  put_argument(out, *value);
}
// Does not cross.
template <class T>
requires(!std::is_const_v<T>) void put_argument(Encoder&, T*) {}

inline void get_argument(Decoder& in, uint32_t& value) { value = in.u32(); }
inline void get_argument(Decoder& in, int32_t& value) { value = static_cast<int32_t>(in.u32()); }
inline void get_argument(Decoder& in, uint64_t& value) { value = in.u64(); }
inline void get_argument(Decoder& in, int64_t& value) { value = in.i64(); }
inline void get_argument(Decoder& in, pb_str& value) { value = to_abi(in.str()); }
inline void get_argument(Decoder& in, pb_value& value) { value = get_value(in); }
template <HasFields T>
void get_argument(Decoder& in, T& value) {
  if constexpr (Grows<T>) value.size = sizeof value;
  std::apply([&](auto... field) { (get_argument(in, value.*field), ...); }, kFields<T>);
}

// An argument that was read, with what it points to. Borrows the frame.
template <class T>
struct ReadArgument {
  explicit ReadArgument(Decoder& in) { get_argument(in, value); }
  T get() const { return value; }
  T value{};
};
template <class T>
struct ReadArgument<const T*> {
  explicit ReadArgument(Decoder& in) { get_argument(in, value); }
  const T* get() const { return &value; }
  T value{};
};
template <class T>
struct ReadArgument<T*> {
  explicit ReadArgument(Decoder&) {}
  T* get() const { return nullptr; }
};
// Fails the decoder when there is no memory for the copy, because NULL would pass for a buffer that was NULL.
template <>
struct ReadArgument<pb_buf*> {
  explicit ReadArgument(Decoder& in) {
    if (in.u32() == 0) return;
    copy = Buffer::copy(in.str());
    if (copy.get() == nullptr) in.fail();
  }
  pb_buf* get() const { return copy.get(); }
  Buffer copy;
};
template <>
struct ReadArgument<const pb_rows*> : ReadRows {
  using ReadRows::ReadRows;
};
template <>
struct ReadArgument<const pb_commit*> : ReadOutcome {
  using ReadOutcome::ReadOutcome;
};
// NULL where the code is PB_OK.
template <>
struct ReadArgument<const pb_err*> {
  explicit ReadArgument(Decoder& in) {
    const auto code = static_cast<int32_t>(in.u32());
    write_error(&err, static_cast<Code>(code), in.str());
  }
  const pb_err* get() const { return err.code != PB_OK ? &err : nullptr; }
  pb_err err = empty_error();
};

// How many items of a list cross. Further items are left out, because a frame with more is refused and ends
// the child. The core does not need them: it shows no more fields of a log line, and refuses a statement with
// more values.
template <class T>
inline constexpr uint32_t kMaxItems = UINT32_MAX;
template <>
inline constexpr uint32_t kMaxItems<pb_pair> = observe::kMaxFields;
template <>
inline constexpr uint32_t kMaxItems<pb_value> = 32768;

// Lists have pointers to structs that grow in later versions, and frozen structs by value.
template <class T>
concept ListItem = std::is_pointer_v<T> ||(std::is_class_v<T> && !Grows<T>);

// All arguments of a function: put() writes them; the constructor reads them, and call(f) then calls
// f(arguments...). Borrows the frame.
template <class... A>
struct Arguments;

template <>
struct Arguments<> {
  explicit Arguments(Decoder&) {}
  static void put(Encoder&) {}
  template <class F, class... Before>
  auto call(F f, Before... before) const {
    return f(before...);
  }
};

template <class First, class... Rest>
struct Arguments<First, Rest...> {
  explicit Arguments(Decoder& in) : first_(in), rest_(in) {}
  static void put(Encoder& out, First first, Rest... rest) {
    put_argument(out, first);
    Arguments<Rest...>::put(out, rest...);
  }
  template <class F, class... Before>
  auto call(F f, Before... before) const {
    return rest_.call(f, before..., first_.get());
  }

 private:
  ReadArgument<First> first_;  // read before the rest
  Arguments<Rest...> rest_;
};

// A callback, and the strand on which it is called.
template <class... B, class... Rest>
struct Arguments<uint64_t, void (*)(void*, B...) noexcept, void*, Rest...> {
  using Callback = void (*)(void*, B...) noexcept;

  explicit Arguments(Decoder& in) : rest_(in) {}
  static void put(Encoder& out, uint64_t, Callback, void*, Rest... rest) {
    Arguments<Rest...>::put(out, rest...);
  }
  template <class F, class... Before>
  auto call(F f, Before... before) const {
    return rest_.call(f, before..., uint64_t{kMainStrand}, Callback{nullptr}, static_cast<void*>(nullptr));
  }

 private:
  Arguments<Rest...> rest_;
};

template <ListItem Item, class... Rest>
struct Arguments<const Item*, uint32_t, Rest...> {
  using Value = std::remove_const_t<std::remove_pointer_t<Item>>;

  explicit Arguments(Decoder& in) : values_(read(in)), rest_(in) {
    if constexpr (std::is_pointer_v<Item>) {
      for (const Value& value : values_) items_.push_back(&value);
    }
  }
  static void put(Encoder& out, const Item* items, uint32_t count, Rest... rest) {
    count = std::min(count, kMaxItems<Value>);
    out.u32(count);
    for (uint32_t i = 0; i < count; ++i) put_argument(out, items[i]);
    Arguments<Rest...>::put(out, rest...);
  }
  template <class F, class... Before>
  auto call(F f, Before... before) const {
    const Item* items = nullptr;
    if constexpr (std::is_pointer_v<Item>) {
      items = items_.data();
    } else {
      items = values_.data();
    }
    return rest_.call(f, before..., items, static_cast<uint32_t>(values_.size()));
  }

 private:
  static std::vector<Value> read(Decoder& in) {
    uint32_t left = in.u32();
    if (left > kMaxItems<Value>) in.fail();
    std::vector<Value> values;
    for (; left > 0 && in.ok(); --left) get_argument(in, values.emplace_back());
    return values;
  }
  const std::vector<Value> values_;
  std::vector<Item> items_;  // of pointers
  Arguments<Rest...> rest_;
};

}  // namespace patchbay::core::isolation
