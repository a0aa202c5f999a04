// Messages of services. PATCHBAY_FIELDS lists the members of a C++ struct; from it follow the C struct of the
// boundary and its field table (abi/services.h).
//
//   struct Dial { std::string number; int64_t timeout_ms = 0; Handle listener; PATCHBAY_FIELDS(number,
//   timeout_ms, listener) };
//
// Members: std::string, int64_t, bool (as an integer), double, Buffer, Handle, NameValues (name_values.h). A
// message grows by appending members; those the other side does not know keep their defaults.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>

#include "abi/services.h"
#include "buffer.h"

namespace patchbay {

// A service instance, an audio port or a transaction in a message. 0: none.
struct Handle {
  uint64_t id = 0;
  explicit operator bool() const noexcept { return id != 0; }
};

#define PATCHBAY_FIELDS(...)                                                     \
  [[maybe_unused]] static constexpr std::string_view field_names = #__VA_ARGS__; \
  auto fields() { return std::tie(__VA_ARGS__); }                                \
  auto fields() const { return std::tie(__VA_ARGS__); }

// A message without members.
struct Empty {
  static constexpr std::string_view field_names{};
  std::tuple<> fields() const { return {}; }
};

namespace detail {

template <class T>
struct Wire;  // conversion of a member to and from the boundary's struct

template <>
struct Wire<int64_t> {
  static constexpr uint32_t kind = PB_FIELD_INT, size = 8;
  static void put(char* to, int64_t from) { std::memcpy(to, &from, 8); }
  static void get(const char* from, int64_t& to) { std::memcpy(&to, from, 8); }
};
template <>
struct Wire<bool> {
  static constexpr uint32_t kind = PB_FIELD_INT, size = 8;
  static void put(char* to, bool from) { Wire<int64_t>::put(to, from ? 1 : 0); }
  static void get(const char* from, bool& to) {
    int64_t value = 0;
    Wire<int64_t>::get(from, value);
    to = value != 0;
  }
};
template <>
struct Wire<double> {
  static constexpr uint32_t kind = PB_FIELD_NUMBER, size = 8;
  static void put(char* to, double from) { std::memcpy(to, &from, 8); }
  static void get(const char* from, double& to) { std::memcpy(&to, from, 8); }
};
template <>
struct Wire<std::string> {
  static constexpr uint32_t kind = PB_FIELD_STR, size = 16;
  static void put(char* to, const std::string& from) {
    const pb_str text = to_abi(from);
    std::memcpy(to, &text, 16);
  }
  static void get(const char* from, std::string& to) {
    pb_str text{};
    std::memcpy(&text, from, 16);
    to = from_abi(text);
  }
};
template <>
struct Wire<Buffer> {
  static constexpr uint32_t kind = PB_FIELD_BUF, size = 8;
  static void put(char* to, const Buffer& from) {
    pb_buf* buf = from.get();
    std::memcpy(to, &buf, 8);
  }
  static void get(const char* from, Buffer& to) {
    pb_buf* buf = nullptr;
    std::memcpy(&buf, from, 8);
    to = Buffer::share(buf);
  }
};
template <>
struct Wire<Handle> {
  static constexpr uint32_t kind = PB_FIELD_HANDLE, size = 8;
  static void put(char* to, Handle from) { std::memcpy(to, &from.id, 8); }
  static void get(const char* from, Handle& to) { std::memcpy(&to.id, from, 8); }
};

constexpr pb_str field_name(std::string_view names, size_t index) {
  for (; index > 0; --index) names.remove_prefix(names.find(',') + 1);
  while (!names.empty() && names.front() == ' ') names.remove_prefix(1);
  const auto name = names.substr(0, names.find(','));
  return {name.data(), name.size()};
}

template <class Tuple>
struct Layout;
template <class... M>
struct Layout<std::tuple<M&...>> {
  static constexpr size_t count = sizeof...(M);
  static constexpr std::array<uint32_t, count + 1> kinds{Wire<std::remove_const_t<M>>::kind..., 0};
  static constexpr std::array<uint32_t, count + 1> sizes{Wire<std::remove_const_t<M>>::size..., 0};
  static constexpr std::array<uint32_t, count + 1> offsets() {
    std::array<uint32_t, count + 1> at{};
    at[0] = sizeof(pb_message);
    for (size_t i = 0; i < count; ++i) at[i + 1] = at[i] + sizes[i];
    return at;
  }
  static constexpr uint32_t struct_size = offsets()[count];
};
template <>
struct Layout<std::tuple<>> {
  static constexpr size_t count = 0;
  static constexpr std::array<uint32_t, 1> kinds{0};
  static constexpr std::array<uint32_t, 1> offsets() { return {sizeof(pb_message)}; }
  static constexpr uint32_t struct_size = sizeof(pb_message);
};

template <class T>
using LayoutOf = Layout<decltype(std::declval<const T&>().fields())>;

// The field table of message T, in static memory.
template <class T>
struct Shape {
  static constexpr size_t count = LayoutOf<T>::count;
  static constexpr std::array<pb_field, count + 1> make_fields() {
    std::array<pb_field, count + 1> all{};
    for (size_t i = 0; i < count; ++i) {
      all[i] = pb_field{sizeof(pb_field), LayoutOf<T>::kinds[i], LayoutOf<T>::offsets()[i], 0,
                        field_name(T::field_names, i)};
    }
    return all;
  }
  static constexpr std::array<pb_field, count + 1> fields = make_fields();
  static constexpr std::array<const pb_field*, count + 1> make_pointers() {
    std::array<const pb_field*, count + 1> all{};
    for (size_t i = 0; i < count; ++i) all[i] = &fields[i];
    return all;
  }
  static constexpr std::array<const pb_field*, count + 1> pointers = make_pointers();
  static constexpr pb_shape shape{sizeof(pb_shape), LayoutOf<T>::struct_size, static_cast<uint32_t>(count), 0,
                                  pointers.data()};
};

}  // namespace detail

// A message as the boundary's struct; borrows the strings and buffers of the original.
template <class T>
class Packed {
 public:
  explicit Packed(const T& message) {
    const pb_message head{sizeof bytes_, 0};
    std::memcpy(bytes_, &head, sizeof head);
    put(message.fields(), std::make_index_sequence<detail::LayoutOf<T>::count>());
  }
  const pb_message* get() const noexcept { return reinterpret_cast<const pb_message*>(bytes_); }

 private:
  template <class Tuple, size_t... I>
  void put(const Tuple& members, std::index_sequence<I...>) {
    constexpr auto offsets = detail::LayoutOf<T>::offsets();
    (void)members, (void)offsets;
    (detail::Wire<std::decay_t<std::tuple_element_t<I, Tuple>>>::put(bytes_ + offsets[I],
                                                                     std::get<I>(members)),
     ...);
  }
  alignas(8) char bytes_[detail::LayoutOf<T>::struct_size];
};

namespace detail {
template <class T, class Tuple, size_t... I>
void unpack_members(const pb_message* from, Tuple members, std::index_sequence<I...>) {
  constexpr auto offsets = LayoutOf<T>::offsets();
  const char* bytes = reinterpret_cast<const char*>(from);
  (void)bytes, (void)members, (void)offsets;
  ((offsets[I + 1] <= from->size
        ? Wire<std::decay_t<std::tuple_element_t<I, Tuple>>>::get(bytes + offsets[I], std::get<I>(members))
        : void()),
   ...);
}
}  // namespace detail

// Copies a message from the boundary's struct. Members that it lacks keep their defaults, as do all for NULL.
template <class T>
T unpack(const pb_message* from) {
  T message;
  if (from != nullptr) {
    detail::unpack_members<T>(from, message.fields(), std::make_index_sequence<detail::LayoutOf<T>::count>());
  }
  return message;
}

}  // namespace patchbay
