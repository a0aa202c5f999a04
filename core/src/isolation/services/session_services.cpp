#include "isolation/services/session_services.h"

#include <utility>

#include "isolation/host_call_wire.h"
#include "isolation/services/interface_wire.h"
#include "services/service_call.h"

namespace patchbay::core::isolation {
namespace {

// Replaces a message that was not sent, so that server code never gets NULL.
constexpr pb_message kEmpty{sizeof(pb_message), 0};
constexpr char kCalls[] = "calls without an answer";

const pb_message* message_or_empty(const OwnedMessage& message) {
  return message.get() != nullptr ? message.get() : &kEmpty;
}

}  // namespace

// An instance of the child, as the core sees it.
class SessionServices::Provided final : public RemoteObject {
 public:
  Provided(SessionServices& its, uint64_t its_number, const pb_interface* its_interface)
      : RemoteObject(HandleKind::instance), of(its), number(its_number), interface(its_interface) {}

  SessionServices& of;  // until closed
  const uint64_t number;
  const pb_interface* const interface;
};

bool SessionServices::provide(Decoder& in) {
  const uint64_t number = in.u64();
  const int32_t is_public = in.u32() != 0 ? 1 : 0;
  const Described described = get_interface(in, interfaces_);
  if (described.invalid || !in.whole()) return false;
  const pb_interface* interface = described.interface;
  if (interface == nullptr) return link_->refuse(number, "interfaces");
  if (!held_.has_room(HandleKind::instance)) return link_->refuse(number, "instances");
  if (is_public != 0 && !interfaces_.provides(from_abi(interface->id))) {
    const std::string why = "the manifest does not provide " + std::string(from_abi(interface->id));
    link_->answer(number, 0, PB_E_DENIED, why);
    return true;
  }
  auto provided = std::make_unique<Provided>(*this, number, interface);
  pb_err err = empty_error();
  const Host& host = link_->host();
  provided->handle = host.services->provide(host.self, interface, is_public, kMainStrand,
                                            &SessionServices::run, provided.get(), &err);
  if (provided->handle != 0) link_->grant(provided->handle);
  link_->answer(number, provided->handle, err);
  held_.add(std::move(provided));
  return true;
}

bool SessionServices::describe(Decoder& in) {
  const uint64_t tag = in.u64();
  const Described described = get_interface(in, interfaces_);
  if (described.invalid || !in.whole()) return false;
  // Calls that name an unknown interface are refused.
  if (described.interface == nullptr || described_.size() >= kMaxInterfaces) {
    link_->too_many("interfaces");
  } else {
    described_[tag] = described.interface;
  }
  return true;
}

bool SessionServices::call(Decoder& in) {
  const uint64_t number = in.u64();
  const uint64_t lease = in.u64();
  const auto described = described_.find(in.u64());
  const uint32_t slot = in.u32();
  if (described == described_.end()) {
    if (in.ok()) refuse_call(number, "interfaces");
    return in.ok();
  }
  if (slot >= described->second->method_count) return false;
  const pb_interface* interface = described->second;
  const pb_method& method = *interface->methods[slot];
  const size_t bytes = in.left();
  const OwnedMessage request = get_message(in, *method.request, *link_);
  if (!in.whole()) return false;
  auto permit = InFlightLimit::acquire(in_flight_, bytes);
  if (!permit) {
    refuse_call(number, kCalls);
    return true;
  }
  link_->host().services->call(link_->self(), lease, interface, slot, message_or_empty(request), kMainStrand,
                               &SessionServices::answered,
                               new Outgoing{link_, *std::move(permit), number, method.reply});
  return true;
}

void SessionServices::refuse_call(uint64_t number, const char* what) {
  link_->too_many(what);
  if (number == 0) return;
  Encoder out(Kind::reply);
  out.u64(number).u32(static_cast<uint32_t>(PB_E_EXHAUSTED));
  link_->send(out.str(std::string("the plugin has too many ") + what));
}

void SessionServices::answered(void* user, int32_t status, const pb_message* message,
                               const pb_err* err) noexcept {
  const std::unique_ptr<Outgoing> call(static_cast<Outgoing*>(user));
  const auto head = [&](int32_t code, std::string_view text) {
    Encoder out(Kind::reply);
    out.u64(call->call).u32(static_cast<uint32_t>(code)).str(text);
    return out;
  };
  if (call->call == 0 || !call->link->is_open()) return;
  Encoder out = head(status, err != nullptr ? err->text : "");
  if (status == PB_OK) put_message(out, *call->reply, message, *call->link);
  if (call->link->send(out)) return;
  call->link->send(head(PB_E_EXHAUSTED, kTooLarge));
}

bool SessionServices::reply(Decoder& in) {
  const uint64_t number = in.u64();
  const int32_t code = in.status();
  const std::string_view text = in.str();
  const auto at = calls_.find(number);
  if (at == calls_.end()) return in.ok() && number <= last_call_;  // withdrawn meanwhile
  const Waiting waiting = at->second;
  OwnedMessage message;
  if (code == PB_OK) message = get_message(in, *waiting.reply, *link_);
  if (!in.whole()) return false;
  calls_.erase(at);
  pb_err err = empty_error();
  write_error(&err, static_cast<Code>(code), text);
  waiting.completion->complete(waiting.completion, code, message_or_empty(message), &err);
  return true;
}

int32_t SessionServices::run(void* self, uint32_t slot, const pb_message* request, pb_completion* completion,
                             pb_err* err) noexcept {
  const auto& provided = *static_cast<Provided*>(self);
  SessionServices& of = provided.of;
  const pb_method& method = *provided.interface->methods[slot];
  if (of.calls_.size() >= kMaxCallsInFlight || !of.link_->has_room())
    return write_error(err, Code::exhausted, "the plugin does not keep up with its calls");
  const uint64_t number = ++of.last_call_;
  Encoder out(Kind::call);
  const uint64_t caller = calling_plugin();
  out.u64(number).u64(provided.number).u64(caller == 0 ? 0 : of.link_->outgoing(caller)).u32(slot);
  put_message(out, *method.request, request, *of.link_);
  if (!of.link_->send(out)) return write_error(err, Code::exhausted, kTooLarge);
  of.calls_[number] = {completion, method.reply};
  return PB_OK;
}

void SessionServices::end() {
  for (const auto& [number, waiting] : std::exchange(calls_, {}))
    waiting.completion->complete(waiting.completion, PB_E_GONE, nullptr, nullptr);
}

}  // namespace patchbay::core::isolation
