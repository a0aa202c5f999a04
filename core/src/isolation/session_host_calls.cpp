#include "isolation/session_host_calls.h"

#include <patchbay/buffer.h>

#include <array>
#include <string>
#include <tuple>
#include <utility>

namespace patchbay::core::isolation {
namespace {

// Arguments that did not cross, filled in by their types.
struct LocalArguments {
  void* user = nullptr;  // of the callback or the sink
  pb_err err = empty_error();

  template <class T>
  void fill(T&) {}
  void fill(void*& argument) { argument = user; }
  void fill(pb_err*& argument) { argument = &err; }
  void fill(Sink& argument) {
    argument = [](void* text, pb_str part) noexcept {
      static_cast<std::string*>(text)->append(from_abi(part));
    };
  }
  template <class... B>
  void fill(void (*&argument)(void*, B...) noexcept) {
    argument = &Relay::call<B...>;
  }
};

// A callback's type gives the type of its question.
template <class... B>
std::unique_ptr<Relay> ask_for(SessionHostCalls& calls, void (*)(void*, B...) noexcept, uint64_t number,
                               size_t bytes) {
  return calls.ask<B...>(number, bytes);
}

}  // namespace

template <class T, size_t I, class R, class... A>
struct SessionHostCalls::Call<T, I, R (*T::*)(void*, A...) noexcept> {
  static constexpr auto row = host_function<T, I>();
  static constexpr CallKind kind = call_kind_of<T, I>();

  static bool take(SessionHostCalls& of, uint64_t number, Decoder& in) {
    if constexpr (kind == CallKind::none || kind == CallKind::operation) {
      return false;
    } else if constexpr (kind == CallKind::close) {
      of.held_.close(in.u64());
      return in.whole();
    } else {
      const size_t bytes = in.left();
      const Arguments<A...> arguments(in);
      if (!in.whole()) return false;
      LocalArguments local;
      if constexpr (kind == CallKind::question) {
        using Callback = std::tuple_element_t<place_of<IsCallback, A...>(), std::tuple<A...>>;
        local.user = ask_for(of, Callback{nullptr}, number, bytes).release();
        if (local.user != nullptr) run(of, arguments, local);
      } else if constexpr (row.opens != HandleKind::none) {
        return open(of, number, bytes, arguments, local);
      } else {
        answer(of, number, arguments, local);
      }
      return true;
    }
  }

  static R run(SessionHostCalls& of, const Arguments<A...>& arguments, LocalArguments& local) {
    const Host& host = of.link_->host();
    return arguments.call([&](A... read) {
      std::tuple<A...> all(read...);
      std::apply([&](auto&... each) { (local.fill(each), ...); }, all);
      if constexpr (row.takes_granted) std::get<0>(all) = of.link_->incoming(std::get<0>(all));
      return std::apply(
          [&](A... given) { return (std::get<const T*>(tables_of(host))->*row.member)(host.self, given...); },
          all);
    });
  }

  // Of a registration, or of a lease.
  static bool open(SessionHostCalls& of, uint64_t number, size_t bytes, const Arguments<A...>& arguments,
                   LocalArguments& local) {
    if (!of.held_.has_room(row.opens, bytes))
      return of.link_->refuse(number, std::string(name_of(row.opens)) + "s");
    std::unique_ptr<RemoteObject> held;
    if constexpr (kind == CallKind::registration) {
      auto relay = std::make_unique<Relay>(of.link_, row.opens, number);
      local.user = relay.get();
      held = std::move(relay);
    } else {
      held = std::make_unique<RemoteObject>(row.opens);
    }
    held->bytes = bytes;
    held->handle = run(of, arguments, local);
    of.link_->answer(number, held->handle, local.err);
    of.held_.add(std::move(held));
    return true;
  }

  static void answer(SessionHostCalls& of, uint64_t number, const Arguments<A...>& arguments,
                     LocalArguments& local) {
    if constexpr (std::is_void_v<R>) {
      run(of, arguments, local);
    } else if constexpr (std::is_same_v<R, pb_buf*>) {
      const Buffer made = Buffer::adopt(run(of, arguments, local));
      of.link_->answer(number, made.get() != nullptr ? 1 : 0, PB_OK, made.view());
    } else {
      std::string text;
      local.user = &text;
      const R result = run(of, arguments, local);
      if (number == 0) return;  // no answer is wanted
      if (text.empty()) text = local.err.text;
      of.link_->answer(number, static_cast<uint64_t>(result), local.err.code, text);
    }
  }
};

template <class T>
constexpr auto SessionHostCalls::handlers() {
  std::array<Handler, std::tuple_size_v<decltype(HostTable<T>::functions)>> all{};
  for_each_function<T>([&]<size_t I>() { all[I] = &Call<T, I, MemberOf<T, I>>::take; });
  return all;
}

bool SessionHostCalls::take(Decoder& in) {
  const uint64_t number = in.u64();
  const uint32_t function = in.u32();
  Handler handler = nullptr;
  for_each_table_type([&]<class T>() {
    if constexpr (kCrosses<T>) {
      static constexpr auto all = handlers<T>();
      if (const uint32_t place = function - table_number<T>(); place < all.size()) handler = all[place];
    }
  });
  return handler != nullptr && handler(*this, number, in);
}

}  // namespace patchbay::core::isolation
