#include "handle.h"

#include <utility>

namespace patchbay::sip_trunk {

Handle::Handle(nua_t* nua, HandleOwner* owner, std::atomic<size_t>& count)
    : handle_(nua_handle(nua, owner, TAG_END())), count_(&count) {
  if (handle_ != nullptr) ++count;
}

Handle::Handle(Handle&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), count_(other.count_) {}

Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(count_, other.count_);
  return *this;
}

Handle::~Handle() {
  if (handle_ == nullptr) return;
  nua_handle_bind(handle_, nullptr);
  nua_handle_destroy(handle_);
  --*count_;
}

}  // namespace patchbay::sip_trunk
