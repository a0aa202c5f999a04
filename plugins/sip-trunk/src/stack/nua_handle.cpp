#include "stack/nua_handle.h"

#include <utility>

namespace patchbay::sip_trunk {

NuaHandle::NuaHandle(nua_t* nua, HandleOwner* owner, std::atomic<size_t>& count)
    : handle_(nua_handle(nua, owner, TAG_END())), count_(&count) {
  if (handle_ != nullptr) ++count;
}

NuaHandle::NuaHandle(nua_handle_t* handle, HandleOwner* owner, std::atomic<size_t>& count)
    : handle_(handle), count_(&count) {
  nua_handle_bind(handle_, owner);
  ++count;
}

NuaHandle::NuaHandle(NuaHandle&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), count_(other.count_) {}

NuaHandle& NuaHandle::operator=(NuaHandle&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(count_, other.count_);
  return *this;
}

NuaHandle::~NuaHandle() {
  if (handle_ == nullptr) return;
  nua_handle_bind(handle_, nullptr);
  nua_handle_destroy(handle_);
  --*count_;
}

}  // namespace patchbay::sip_trunk
