#include "services/service_call.h"

#include <patchbay/str.h>

#include <utility>

#include "runtime/thread_kind.h"

namespace patchbay::core {
namespace {

thread_local uint64_t the_calling_plugin = 0;

// Restores the outer call at the end, because a method that runs on the caller's thread may be called inside
// another.
class CallingScope {
 public:
  explicit CallingScope(uint64_t plugin) noexcept : outer_(the_calling_plugin) {
    the_calling_plugin = plugin;
  }
  ~CallingScope() { the_calling_plugin = outer_; }
  CallingScope(const CallingScope&) = delete;
  CallingScope& operator=(const CallingScope&) = delete;

 private:
  const uint64_t outer_;
};

}  // namespace

uint64_t calling_plugin() noexcept { return the_calling_plugin; }

ServiceCall::ServiceCall(Ref<Instance> instance, uint32_t slot, Caller caller)
    : instance_(std::move(instance)), caller_(std::move(caller)), slot_(slot) {
  completion_.size = sizeof(pb_completion);
  completion_.reserved = 0;
  completion_.complete = &ServiceCall::complete;
  completion_.call = this;
  if (caller_.observer != nullptr) caller_.observer->call_began(*this);
}

void ServiceCall::start(Ref<Instance> instance, const pb_interface* caller_table, uint32_t slot,
                        const pb_message* request, Caller caller) {
  auto call = Ref<ServiceCall>::adopt(new ServiceCall(std::move(instance), slot, std::move(caller)));
  Instance& target = *call->instance_;
  const pb_method* method = target.method(slot);
  if (method == nullptr || slot >= caller_table->method_count) {
    return call->answer(PB_E_UNSUPPORTED, nullptr, nullptr);
  }
  call->called_ = {method->name.data, static_cast<size_t>(method->name.len)};
  if (!target.is_compatible_with(*caller_table)) {
    pb_err err = empty_error();
    write_error(&err, Code::misuse,
                "caller and provider of " + std::string(target.interface_id()) +
                    " disagree about its messages; build both with the same header");
    return call->answer(PB_E_MISUSE, nullptr, &err);
  }
  const bool here = (method->flags & PB_METHOD_ANY) != 0;
  if (!here) call->request_ = MessageCopy::of(*caller_table->methods[slot]->request, request);
  if (const Code code = target.add_call(*call, call->request_.bytes()); code != Code::ok) {
    pb_err err = empty_error();
    if (code == Code::exhausted)
      write_error(&err, code, "too many calls wait for " + std::string(target.interface_id()) + " already");
    return call->answer(static_cast<int32_t>(code), nullptr, &err);
  }
  if (here) {
    if (!target.enter()) return call->answer(PB_E_GONE, nullptr, nullptr);
    call->provide(request);
    target.leave();
    return;
  }
  ServiceCall* raw = Ref<ServiceCall>(call).detach();
  const bool posted = target.strand().post(
      [](void* user) {
        const auto self = Ref<ServiceCall>::adopt(static_cast<ServiceCall*>(user));
        self->run();
      },
      raw);
  if (!posted) {
    raw->release();
    call->answer(PB_E_GONE, nullptr, nullptr);
  }
}

void ServiceCall::refuse(Caller caller, int32_t status, const char* text) {
  const auto call = Ref<ServiceCall>::adopt(new ServiceCall({}, 0, std::move(caller)));
  pb_err err = empty_error();
  write_error(&err, static_cast<Code>(status), text);
  call->answer(status, nullptr, &err);
}

void ServiceCall::run() noexcept {
  if (!instance_->open()) return answer(PB_E_GONE, nullptr, nullptr);
  provide(request_.get());
}

void ServiceCall::provide(const pb_message* request) noexcept {
  add_ref();  // owned by the completion
  pb_err err = empty_error();
  const CallingScope scope(caller_.plugin);
  const int32_t status = instance_->run(slot_, request, &completion_, &err);
  if (status != PB_OK) complete(&completion_, status, nullptr, &err);
}

void ServiceCall::complete(pb_completion* self, int32_t status, const pb_message* reply,
                           const pb_err* err) noexcept {
  const auto call = Ref<ServiceCall>::adopt(static_cast<Completion*>(self)->call);
  call->answer(status, reply, err);
}

void ServiceCall::answer(int32_t status, const pb_message* reply, const pb_err* err) {
  if (answered_.exchange(true, std::memory_order_acq_rel)) return;
  const Ref<ServiceCall> keep(this);
  if (instance_) {
    if (status == PB_OK) reply_ = MessageCopy::of(*instance_->method(slot_)->reply, reply);
    instance_->remove_call(*this);
  }
  status_ = status;
  if (err != nullptr && status != PB_OK) error_text_ = err->text;
  if (caller_.fn == nullptr) {
    if (caller_.observer != nullptr) caller_.observer->call_ended(*this);
    return;
  }
  const auto hand_over = [](void* user) {
    const auto self = Ref<ServiceCall>::adopt(static_cast<ServiceCall*>(user));
    self->deliver();
  };
  ServiceCall* raw = Ref<ServiceCall>(this).detach();
  if (caller_.strand->post(hand_over, raw)) return;
  if (caller_.fallback && caller_.fallback->post(hand_over, raw)) return;
  hand_over(raw);  // both strands have closed: fn still gets the answer, so that it can free `user`
}

void ServiceCall::deliver() noexcept {
  pb_err err = empty_error();
  if (status_ != PB_OK) write_error(&err, static_cast<Code>(status_), error_text_);
  const OwnerScope scope(caller_.strand->owner().c_str());
  {
    const CallbackScope what("answer to its call of", called_);
    caller_.fn(caller_.user, status_, status_ == PB_OK ? reply_.get() : nullptr,
               status_ == PB_OK ? nullptr : &err);
  }
  if (caller_.observer != nullptr) caller_.observer->call_ended(*this);
}

}  // namespace patchbay::core
