#include "isolation/child_host_calls.h"
#include "isolation/services/interface_wire.h"

namespace patchbay::core::isolation {
namespace child_services_slots {
namespace {

// Identifies the plugin that called the method that runs on this thread.
thread_local uint64_t the_caller = 0;

// The plugin's answer on its way to the server; frees itself.
struct Answering : pb_completion {
  uint64_t call = 0;
  const pb_shape* shape = nullptr;

  static void give(pb_completion* self, int32_t status, const pb_message* reply, const pb_err* err) noexcept {
    const std::unique_ptr<Answering> own(static_cast<Answering*>(self));
    send(own->call, status, err != nullptr ? err->text : "", own->shape, reply);
  }
  static void send(uint64_t call, int32_t status, std::string_view text, const pb_shape* shape,
                   const pb_message* reply) {
    ChildHost& host = ChildHost::get();
    Encoder out(Kind::reply);
    out.u64(call).u32(static_cast<uint32_t>(status)).str(text);
    if (status == PB_OK) put_message(out, *shape, reply, host);
    if (!host.send(out)) send(call, PB_E_EXHAUSTED, kTooLarge, nullptr, nullptr);
  }
};

class Provided final : public RemoteRegistration {
 public:
  Provided(Ref<Strand> strand, const pb_interface* interface, pb_method_fn fn, void* self)
      : RemoteRegistration(std::move(strand)), interface_(interface), fn_(fn), self_(self) {}

 private:
  void run(Decoder& in) override {
    const uint64_t call = in.u64();
    in.u64();  // number of the provision
    const uint64_t caller = in.u64();
    const uint32_t slot = in.u32();
    if (slot >= interface_->method_count)
      return Answering::send(call, PB_E_UNSUPPORTED, "no such method", nullptr, nullptr);
    const pb_method& method = *interface_->methods[slot];
    const OwnedMessage request = get_message(in, *method.request, ChildHost::get());
    auto* answering = new Answering;
    answering->size = sizeof(pb_completion);
    answering->complete = &Answering::give;
    answering->call = call;
    answering->shape = method.reply;
    pb_err err = empty_error();
    const CallbackScope what("method", from_abi(method.name));
    the_caller = caller;
    const int32_t status = fn_(self_, slot, request.get(), answering, &err);
    the_caller = 0;
    if (status != PB_OK) Answering::give(answering, status, nullptr, &err);
  }
  void refuse(Decoder& in) override { Answering::send(in.u64(), PB_E_GONE, "withdrawn", nullptr, nullptr); }

  const pb_interface* const interface_;
  const pb_method_fn fn_;
  void* const self_;
};

uint64_t provide(void*, const pb_interface* what, int32_t is_public, uint64_t strand_handle, pb_method_fn fn,
                 void* self, pb_err* err) noexcept {
  ChildHost& host = ChildHost::get();
  auto strand = host.context().strand(strand_handle);
  if (!strand || what == nullptr || fn == nullptr) {
    write_error(err, Code::misuse, "provide() needs a live strand, an interface and a function");
    return 0;
  }
  Encoder out;
  out.u32(is_public != 0 ? 1 : 0);
  put_interface(out, *what);
  return host.open_registration(make_ref<Provided>(std::move(strand), what, fn, self), Kind::provide,
                                out.frame(), err);
}

ChildHost::Taker taker_of(const pb_shape& shape, pb_reply_fn fn, void* user) {
  return [&shape, fn, user](Decoder& in) {
    const auto status = static_cast<int32_t>(in.u32());
    const std::string_view text = in.str();
    if (status != PB_OK) {
      pb_err err = empty_error();
      write_error(&err, static_cast<Code>(status), text);
      return fn(user, status, nullptr, &err);
    }
    const OwnedMessage reply = get_message(in, shape, ChildHost::get());
    fn(user, PB_OK, reply.get(), nullptr);
  };
}

void call(void*, uint64_t lease, const pb_interface* caller, uint32_t slot, const pb_message* request,
          uint64_t strand, pb_reply_fn fn, void* user) noexcept {
  static constexpr pb_shape kNothing{sizeof(pb_shape), sizeof(pb_message), 0, 0, nullptr};
  ChildHost& host = ChildHost::get();
  const bool known = slot < caller->method_count;
  const pb_shape& reply = known ? *caller->methods[slot]->reply : kNothing;
  const uint64_t number = fn != nullptr ? host.expect(strand, taker_of(reply, fn, user), true) : 0;
  const auto refusal = [&](int32_t status, const char* text) {
    return std::move(Encoder(Kind::reply).u64(number).u32(static_cast<uint32_t>(status)).str(text));
  };
  if (!known) return host.refuse(refusal(PB_E_UNSUPPORTED, "no such method"));
  const uint64_t interface = host.interface_number(caller);
  // Encoded before the call, because it may send frames that must arrive first: what the message names.
  Encoder message;
  put_message(message, *caller->methods[slot]->request, request, host);
  Encoder out(Kind::call);
  out.u64(number).u64(lease).u64(interface).u32(slot).bytes(message.frame());
  host.question(out, refusal(PB_E_EXHAUSTED, kTooLarge));
}

uint64_t caller(void*) noexcept { return the_caller; }

constexpr pb_services kTable = [] {
  pb_services table{};
  table.size = sizeof table;
  table.provide = &provide;
  table.call = &call;
  table.caller = &caller;
  return crossing(table);
}();

}  // namespace
}  // namespace child_services_slots

const pb_services& child_services() noexcept { return child_services_slots::kTable; }

}  // namespace patchbay::core::isolation
