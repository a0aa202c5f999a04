// Services: declares, provides and calls interfaces.
//
//   struct Gate {                                     // the interface: slots never change their meaning
//     static constexpr char id[] = "example.gate/1";
//     static constexpr Method<0, Check, Verdict> check{"check"};
//     static constexpr auto methods() { return std::make_tuple(check); }
//   };
//   Provision<Gate> gate(host);                       // providing it
//   gate.on(Gate::check, [this](Check request, Reply<Verdict> reply) { reply(decide(request)); });
//   PB_TRY(gate.publish());
//   Service<Gate> service(host);                      // calling it, wherever it may be
//   service.call(Gate::check, {number}, [](Result<Verdict> verdict) { ... });
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <tuple>

#include "function.h"
#include "host.h"
#include "message.h"

namespace patchbay {

template <uint32_t Slot, class RequestT, class ReplyT>
struct Method {
  static constexpr uint32_t slot = Slot;
  using Request = RequestT;
  using Reply = ReplyT;
  const char* name;
  uint32_t flags = 0;  // PB_METHOD_ANY
};

namespace detail {

// The boundary's table of interface I, in static memory.
template <class I>
struct InterfaceTable {
  static constexpr auto list = I::methods();
  static constexpr size_t count = std::tuple_size_v<std::remove_const_t<decltype(list)>>;

  template <size_t... N>
  static constexpr std::array<pb_method, count> make(std::index_sequence<N...>) {
    static_assert(((std::tuple_element_t<N, std::remove_const_t<decltype(list)>>::slot == N) && ...),
                  "methods() lists the slots in order");
    return {method_of(std::get<N>(list))...};
  }
  template <class M>
  static constexpr pb_method method_of(const M& method) {
    return {sizeof(pb_method),
            method.flags,
            {method.name, std::string_view(method.name).size()},
            &Shape<typename M::Request>::shape,
            &Shape<typename M::Reply>::shape};
  }
  static constexpr std::array<pb_method, count> methods = make(std::make_index_sequence<count>());
  static constexpr std::array<const pb_method*, count> point() {
    std::array<const pb_method*, count> all{};
    for (size_t i = 0; i < count; ++i) all[i] = &methods[i];
    return all;
  }
  static constexpr std::array<const pb_method*, count> pointers = point();
  static constexpr pb_interface table{sizeof(pb_interface),
                                      static_cast<uint32_t>(count),
                                      {I::id, std::string_view(I::id).size()},
                                      pointers.data()};
};

}  // namespace detail

// Answers one call: pass it a Result exactly once, from any thread. Its destructor answers an unanswered call
// with an error.
template <class T>
class Reply {
 public:
  explicit Reply(pb_completion* completion) : completion_(completion) {}
  Reply(Reply&& other) noexcept : completion_(std::exchange(other.completion_, nullptr)) {}
  Reply& operator=(Reply&& other) noexcept {
    std::swap(completion_, other.completion_);
    return *this;
  }
  ~Reply() {
    if (completion_ != nullptr) fail({Code::failed, "the provider dropped the call"});
  }

  void operator()(Result<T> result) {
    if (completion_ == nullptr) return;
    if (!result) return fail(result.error());
    const Packed<T> packed(*result);
    pb_completion* completion = std::exchange(completion_, nullptr);
    completion->complete(completion, PB_OK, packed.get(), nullptr);
  }
  void fail(const Error& error) {
    if (completion_ == nullptr) return;
    pb_err err = empty_error();
    write_error(&err, error.code, error.text);
    pb_completion* completion = std::exchange(completion_, nullptr);
    completion->complete(completion, static_cast<int32_t>(error.code), nullptr, &err);
  }

 private:
  pb_completion* completion_;
};

// An instance of interface I, provided as long as this lives. Destroy it on its strand: then no method runs
// afterwards.
template <class I>
class Provision {
 public:
  explicit Provision(const Host& host, StrandId strand = kMainStrand)
      : host_(&host), strand_(strand), state_(new State{host, {}}) {}
  Provision(const Provision&) = delete;
  Provision& operator=(const Provision&) = delete;
  ~Provision() { withdraw(); }

  // Sets the handler of a method: handler(Request, Reply<R>), which may answer later, or handler(Request) ->
  // Result<R>.
  template <class M, class F>
  Provision& on(M, F handler) {
    using Request = typename M::Request;
    using Answer = typename M::Reply;
    state_->methods[M::slot] = [f = std::move(handler)](const pb_message* raw,
                                                        pb_completion* completion) mutable {
      Reply<Answer> reply(completion);
      if constexpr (std::is_invocable_v<F, Request, Reply<Answer>>) {
        f(unpack<Request>(raw), std::move(reply));
      } else {
        reply(f(unpack<Request>(raw)));
      }
    };
    return *this;
  }

  // Provides it under the interface's id. Error: another instance is.
  Status publish() { return provide(true); }
  // Provides it as a private instance; only plugins that get this handle can call it.
  Handle handle() {
    if (id_ == 0) static_cast<void>(provide(false));
    return {id_};
  }
  void withdraw() {
    if (state_ == nullptr) return;
    State* state = std::exchange(state_, nullptr);
    if (id_ == 0) {
      delete state;
    } else {
      host_->services->withdraw(
          host_->self, std::exchange(id_, 0), [](void* user) noexcept { delete static_cast<State*>(user); },
          state);
    }
  }

 private:
  using Table = detail::InterfaceTable<I>;
  struct State {
    const Host& host;
    std::array<Function<void(const pb_message*, pb_completion*)>, Table::count> methods;
  };
  Status provide(bool is_public) {
    pb_err err = empty_error();
    id_ = host_->services->provide(host_->self, &Table::table, is_public ? 1 : 0, strand_,
                                   &Provision::dispatch, state_, &err);
    if (id_ == 0) return read_error(err.code, &err);
    return {};
  }
  static int32_t dispatch(void* user, uint32_t slot, const pb_message* request, pb_completion* completion,
                          pb_err* err) noexcept {
    auto* state = static_cast<State*>(user);
    if (slot >= Table::count || !state->methods[slot])
      return write_error(err, Code::unsupported, "no such method");
    guard_void([&] { state->methods[slot](request, completion); },
               [&](const char* text) { state->host.log_thrown(I::id, text); });
    return PB_OK;  // the destructor of Reply answers when the handler threw
  }

  const Host* host_;
  StrandId strand_;
  State* state_;  // owned; freed when the withdrawal is done
  uint64_t id_ = 0;
};

// A lease on one instance, to call it. Replies are delivered on `strand`. Once the lease is destroyed there,
// no further callback runs (they are freed), so callbacks may refer to objects that live as long as the
// lease.
template <class I>
class Lease {
 public:
  Lease() = default;
  static Lease query(const Host& host, StrandId strand = kMainStrand) {
    return Lease(host, host.services->query(host.self, to_abi(I::id)), strand);
  }
  static Lease open(const Host& host, Handle instance, StrandId strand = kMainStrand) {
    return Lease(host, host.services->open(host.self, instance.id, to_abi(I::id)), strand);
  }
  Lease(Lease&& other) noexcept
      : host_(other.host_),
        id_(std::exchange(other.id_, 0)),
        strand_(other.strand_),
        wanted_(std::move(other.wanted_)) {}
  Lease& operator=(Lease&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(id_, other.id_);
    std::swap(strand_, other.strand_);
    std::swap(wanted_, other.wanted_);
    return *this;
  }
  ~Lease() { release(); }
  explicit operator bool() const noexcept { return id_ != 0; }

  // [any] Calls f(Result<Reply>) exactly once, on the lease's strand; at once with an error for an empty
  // lease.
  template <class M, class F>
  void call(M, const typename M::Request& request, F f) const {
    using Answer = typename M::Reply;
    if (id_ == 0) {
      f(Result<Answer>(Code::unavailable, std::string(I::id) + " is not available"));
      return;
    }
    auto* pending = new Pending<Answer, F>{*host_, wanted_, std::move(f)};
    const Packed<typename M::Request> packed(request);
    host_->services->call(host_->self, id_, &detail::InterfaceTable<I>::table, M::slot, packed.get(), strand_,
                          &Pending<Answer, F>::answer, pending);
  }
  // [any] Calls without waiting for the reply.
  template <class M>
  void send(M, const typename M::Request& request) const {
    if (id_ == 0) return;
    const Packed<typename M::Request> packed(request);
    host_->services->call(host_->self, id_, &detail::InterfaceTable<I>::table, M::slot, packed.get(), strand_,
                          nullptr, nullptr);
  }

 private:
  template <class>
  friend class Service;
  using Wanted =
      std::shared_ptr<std::atomic<bool>>;  // shared with pending calls, because either may end first

  template <class Answer, class F>
  struct Pending {
    const Host& host;
    Wanted wanted;
    F f;

    static void answer(void* user, int32_t status, const pb_message* reply, const pb_err* err) noexcept {
      std::unique_ptr<Pending> self(static_cast<Pending*>(user));
      if (!self->wanted->load(std::memory_order_acquire)) return;
      guard_void(
          [&] {
            self->f(status == PB_OK ? Result<Answer>(unpack<Answer>(reply))
                                    : Result<Answer>(read_error(status, err)));
          },
          [&](const char* text) { self->host.log_thrown(I::id, text); });
    }
  };

  Lease(const Host& host, uint64_t id, StrandId strand)
      : host_(&host), id_(id), strand_(strand), wanted_(std::make_shared<std::atomic<bool>>(true)) {}
  void release() noexcept {
    if (wanted_) wanted_->store(false, std::memory_order_release);
    if (id_ != 0) host_->services->unlease(host_->self, std::exchange(id_, 0));
  }

  const Host* host_ = nullptr;
  uint64_t id_ = 0;
  StrandId strand_ = kMainStrand;
  Wanted wanted_;
};

// The current public provider of interface I, as it comes and goes. Use and destroy it on its strand; as with
// a lease, no callback runs afterwards. Pending calls to a provider that is withdrawn fail with Code::gone.
template <class I>
class Service {
 public:
  explicit Service(const Host& host, StrandId strand = kMainStrand)
      : host_(&host), state_(new State{host, strand, {}, Lease<I>::query(host, strand)}) {
    watch_ = host.services->watch(host.self, to_abi(I::id), strand, &Service::changed, state_);
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() {
    state_->lease.release();
    host_->services->unwatch(
        host_->self, watch_, [](void* user) noexcept { delete static_cast<State*>(user); }, state_);
  }

  bool up() const noexcept { return static_cast<bool>(state_->lease); }
  // Calls f(true) each time a provider appears, at once if there is one, and f(false) when it is withdrawn.
  void on_change(Function<void(bool)> f) {
    state_->on_change = std::move(f);
    if (up()) state_->on_change(true);
  }
  template <class M, class F>
  void call(M method, const typename M::Request& request, F f) const {
    state_->lease.call(method, request, std::move(f));
  }
  template <class M>
  void send(M method, const typename M::Request& request) const {
    state_->lease.send(method, request);
  }

 private:
  struct State {
    const Host& host;
    StrandId strand;
    Function<void(bool)> on_change;
    Lease<I> lease;
  };
  static void changed(void* user, int32_t up) noexcept {
    auto* state = static_cast<State*>(user);
    const bool was_up = static_cast<bool>(state->lease);
    auto wanted = state->lease.wanted_;  // replies to pending calls on the previous lease are still delivered
    auto next = up != 0 ? Lease<I>::query(state->host, state->strand) : Lease<I>();
    if (wanted) next.wanted_ = std::move(wanted);
    std::swap(state->lease, next);
    next.wanted_ = nullptr;
    const bool is_up = static_cast<bool>(state->lease);
    if (!state->on_change || was_up == is_up) return;
    guard_void([&] { state->on_change(is_up); },
               [&](const char* text) { state->host.log_thrown(I::id, text); });
  }

  const Host* host_;
  State* state_;  // owned; freed when the watch is closed
  uint64_t watch_ = 0;
};

}  // namespace patchbay
