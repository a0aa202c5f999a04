// Arguments of the boundary's functions and callbacks in frames, by their C types, one after the other: both
// halves are made from one signature. Arrays are a pointer and the number behind it.
#pragma once

#include <patchbay/abi.h>
#include <patchbay/str.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isolation/services/message_wire.h"
#include "isolation/store/store_wire.h"
#include "isolation/wire.h"
#include "observe/log.h"

namespace patchbay::core::isolation {

inline void put_argument(Encoder& out, uint32_t value) { out.u32(value); }
inline void put_argument(Encoder& out, int32_t value) { out.u32(static_cast<uint32_t>(value)); }
inline void put_argument(Encoder& out, uint64_t value) { out.u64(value); }
inline void put_argument(Encoder& out, int64_t value) { out.i64(value); }
inline void put_argument(Encoder& out, pb_str value) { out.str(from_abi(value)); }
inline void put_argument(Encoder& out, const pb_event* value) { put_event(out, *value); }
inline void put_argument(Encoder& out, const pb_job* value) { put_job(out, *value); }

template <class T>
T get_argument(Decoder& in) = delete;
template <>
inline uint32_t get_argument(Decoder& in) {
  return in.u32();
}
template <>
inline int32_t get_argument(Decoder& in) {
  return static_cast<int32_t>(in.u32());
}
template <>
inline uint64_t get_argument(Decoder& in) {
  return in.u64();
}
template <>
inline int64_t get_argument(Decoder& in) {
  return in.i64();
}
template <>
inline pb_str get_argument(Decoder& in) {
  return to_abi(in.str());
}
template <>
inline pb_event get_argument(Decoder& in) {
  return get_event(in);
}
template <>
inline pb_job get_argument(Decoder& in) {
  return get_job(in);
}

// An argument that was read, and the struct that it points to. Borrows the frame.
template <class T>
struct ReadArgument {
  explicit ReadArgument(Decoder& in) : value(get_argument<T>(in)) {}
  T get() const { return value; }
  T value;
};
template <class T>
struct ReadArgument<const T*> {
  explicit ReadArgument(Decoder& in) : value(get_argument<T>(in)) {}
  const T* get() const { return &value; }
  T value;
};

// A whole list: put() writes it; an object of it is what was read, with which call() calls f(arguments...).
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

template <class... Rest>
struct Arguments<const pb_value*, uint32_t, Rest...> {
  explicit Arguments(Decoder& in) : values_(get_values(in)), rest_(in) {}
  static void put(Encoder& out, const pb_value* values, uint32_t count, Rest... rest) {
    put_values(out, values, count);
    Arguments<Rest...>::put(out, rest...);
  }
  template <class F, class... Before>
  auto call(F f, Before... before) const {
    return rest_.call(f, before..., values_.data(), static_cast<uint32_t>(values_.size()));
  }

 private:
  std::vector<pb_value> values_;
  Arguments<Rest...> rest_;
};

template <class... Rest>
struct Arguments<const pb_pair*, uint32_t, Rest...> {
  // What the core shows of a log line. More are left out here as there, because a frame with more is refused
  // and ends the child.
  static constexpr uint32_t kMaxPairs = observe::kMaxFields;

  explicit Arguments(Decoder& in) : pairs_(read(in)), rest_(in) {}
  static void put(Encoder& out, const pb_pair* pairs, uint32_t count, Rest... rest) {
    count = std::min(count, kMaxPairs);
    out.u32(count);
    for (uint32_t i = 0; i < count; ++i) out.str(from_abi(pairs[i].key)).str(from_abi(pairs[i].value));
    Arguments<Rest...>::put(out, rest...);
  }
  template <class F, class... Before>
  auto call(F f, Before... before) const {
    return rest_.call(f, before..., pairs_.data(), static_cast<uint32_t>(pairs_.size()));
  }

 private:
  static std::vector<pb_pair> read(Decoder& in) {
    const uint32_t count = in.u32();
    if (count > kMaxPairs) in.fail();
    std::vector<pb_pair> pairs;
    for (uint32_t i = 0; i < count && in.ok(); ++i) {
      const pb_str key = to_abi(in.str());
      pairs.push_back({key, to_abi(in.str())});
    }
    return pairs;
  }
  std::vector<pb_pair> pairs_;
  Arguments<Rest...> rest_;
};

}  // namespace patchbay::core::isolation
