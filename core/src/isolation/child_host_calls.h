// crossing(): a table whose functions call the server's, made from the rows of host_functions.h
// (call_wire.h); those that cross by hand stay as they are.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "abi/boundary_copies.h"
#include "isolation/child_host.h"
#include "isolation/host_call_wire.h"
#include "runtime/thread_kind.h"

namespace patchbay::core::isolation {

// Additional text for the crash banner, beside the callback's name.
template <class... B>
std::string_view detail_of(const B&...) {
  return {};
}
inline std::string_view detail_of(const pb_event* event) { return from_abi(event->topic); }
inline std::string_view detail_of(const pb_job* job) { return from_abi(job->kind); }

// A registration's callback.
template <class... B>
class Callback final : public RemoteRegistration {
 public:
  using Function = void (*)(void*, B...) noexcept;
  // `function` is a literal: "watch".
  Callback(Ref<Strand> strand, const char* function, Function fn, void* user)
      : RemoteRegistration(std::move(strand)), function_(function), fn_(fn), user_(user) {}

  bool is_small() const noexcept override { return !(std::is_pointer_v<B> || ...); }

 private:
  static constexpr const char* what(const char* function) {
    if ((std::is_same_v<B, const pb_event*> || ...)) return "event";
    if ((std::is_same_v<B, const pb_job*> || ...)) return "job";
    return function;
  }
  void run(Decoder& in) override {
    in.u64();  // number
    const Arguments<B...> arguments(in);
    if (!in.ok()) return;
    arguments.call([this](B... given) {
      const CallbackScope scope(what(function_), detail_of(given...));
      fn_(user_, given...);
    });
  }

  const char* const function_;
  const Function fn_;
  void* const user_;
};
template <class... B>
Ref<RemoteRegistration> make_registration(Ref<Strand> strand, const char* function,
                                          void (*fn)(void*, B...) noexcept, void* user) {
  return make_ref<Callback<B...>>(std::move(strand), function, fn, user);
}

// Expects the answer to a question: calls fn(user, ...) with it on the strand. Returns the question's number.
template <class... B>
uint64_t expect_result(uint64_t strand, void (*fn)(void*, B...) noexcept, void* user) {
  return ChildHost::get().expect(strand, [fn, user](Decoder& in) { call_with_result(in, fn, user); });
}
// The frame with which such a callback is called when the server does not answer.
template <class... B>
Encoder failed(uint64_t question, void (*)(void*, B...) noexcept, int32_t status, const char* text) {
  return failed_frame<B...>(question, status, text, B{}...);
}

// The strand among a function's arguments: in front of its callback, or in the struct in front of that.
inline uint64_t strand_in(uint64_t strand) { return strand; }
inline uint64_t strand_in(const pb_subscription* what) { return what->strand; }

// Calls a function of the server without waiting for it. False: the arguments are too large.
template <auto member, class... A>
bool notify(A... arguments) {
  Encoder out(Kind::host_call);
  out.u64(0).u32(function_number(member));
  Arguments<A...>::put(out, arguments...);
  return ChildHost::get().send(out);
}

template <class T, size_t I, class Member>
struct Crossing;
template <class T, size_t I, class R, class... A>
struct Crossing<T, I, R (*T::*)(void*, A...) noexcept> {
  static constexpr auto row = host_function<T, I>();
  static constexpr CallKind kind = call_kind_of<T, I>();
  static constexpr uint32_t number = function_number<T, I>();
  static constexpr size_t callback = place_of<IsCallback, A...>();
  static constexpr size_t sink = place_of<IsSink, A...>();
  using All = std::tuple<A...>;

  static R call(void*, A... arguments) noexcept {
    const All all(arguments...);
    if constexpr (kind == CallKind::close) {
      close(all);
    } else if constexpr (kind == CallKind::question) {
      ChildHost& host = ChildHost::get();
      const auto fn = std::get<callback>(all);
      const uint64_t question =
          expect_result(strand_in(std::get<callback - 1>(all)), fn, std::get<callback + 1>(all));
      Encoder out(Kind::host_call);
      put(out.u64(question), arguments...);
      host.question(out, failed(question, fn, PB_E_EXHAUSTED, kTooLarge));
    } else if constexpr (kind == CallKind::registration) {
      return open(all);
    } else if constexpr (kind == CallKind::notice) {
      Encoder out(Kind::host_call);
      put(out.u64(0), arguments...);
      ChildHost::get().send(out);
    } else {
      return answer(all);
    }
  }

 private:
  static void put(Encoder& out, A... arguments) { Arguments<A...>::put(out.u32(number), arguments...); }
  static std::string body(const All& all) {
    Encoder out;
    std::apply([&](A... arguments) { put(out, arguments...); }, all);
    return out.take();
  }
  static pb_err* error_in(const All& all) {
    pb_err* err = nullptr;
    std::apply([&](A... arguments) { (look_at(err, arguments), ...); }, all);
    return err;
  }
  static void look_at(pb_err*& err, pb_err* argument) { err = argument; }
  template <class Other>
  static void look_at(pb_err*&, Other) {}

  static void close(const All& all) {
    if constexpr (sizeof...(A) == 1) {
      ChildHost::get().send(Encoder(Kind::host_call).u64(0).u32(number).u64(std::get<0>(all)));
    } else {
      ChildHost::get().close_registration(number, std::get<0>(all), std::get<1>(all), std::get<2>(all));
    }
  }

  static uint64_t open(const All& all) {
    ChildHost& host = ChildHost::get();
    Ref<Strand> strand = host.context().strand(strand_in(std::get<callback - 1>(all)));
    const auto fn = std::get<callback>(all);
    if (!strand || fn == nullptr) {
      write_error(error_in(all), Code::misuse, "a live strand and a function are needed");
      return 0;
    }
    return host.open_registration(
        make_registration(std::move(strand), row.name, fn, std::get<callback + 1>(all)), Kind::host_call,
        body(all), error_in(all));
  }

  static R answer(const All& all) {
    ChildHost& host = ChildHost::get();
    if constexpr (std::is_same_v<R, uint64_t>) {
      return host.request(Kind::host_call, body(all), error_in(all));
    } else if constexpr (std::is_same_v<R, pb_buf*>) {
      const ChildHost::Answer answer = host.ask(Kind::host_call, body(all));
      return answer.value != 0 ? copied_buffer(answer.text) : nullptr;
    } else {
      static_assert(std::is_same_v<R, int32_t>, "no such result crosses");
      const ChildHost::Answer answer = host.ask(Kind::host_call, body(all));
      if (answer.status != PB_OK) return answer.status;
      const auto status = static_cast<int32_t>(answer.value);
      if constexpr (sink < sizeof...(A)) {
        if (status == PB_OK) std::get<sink>(all)(std::get<sink + 1>(all), to_abi(answer.text));
      }
      return status;
    }
  }
};

template <class T>
constexpr T crossing(T table) {
  for_each_function<T>([&]<size_t I>() {
    constexpr CallKind kind = call_kind_of<T, I>();
    if constexpr (kind != CallKind::none && kind != CallKind::operation)
      table.*host_function<T, I>().member = &Crossing<T, I, MemberOf<T, I>>::call;
  });
  return table;
}

}  // namespace patchbay::core::isolation
