// RemoteObject: an object in the server that a child has created, by the server's handle: an instance, lease,
// subscription, port or job worker. Closed when the child closes it or has ended, and freed once the core no
// longer uses it.
#pragma once

#include <patchbay/host.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include "abi/close_handle.h"
#include "isolation/limits.h"

namespace patchbay::core::isolation {

class RemoteObject {
 public:
  explicit RemoteObject(HandleKind kind_of_handle) : kind(kind_of_handle) {}
  virtual ~RemoteObject() = default;
  // [strand main] It is closed next: close what belongs to it.
  virtual void closing() {}
  // [any] The core no longer uses it; it is freed next.
  virtual void closed() {}

  const HandleKind kind;
  uint64_t handle = 0;  // 0: it could not be created
  size_t bytes = 0;     // of the arguments with which it was created
};

class RemoteObjects {
 public:
  explicit RemoteObjects(const Host& host) : host_(host) {}
  // False: the child must be refused another object of that kind, created with so many bytes.
  bool has_room(HandleKind kind, size_t bytes = 0) const {
    const size_t most = kind == HandleKind::port ? kMaxPorts : kMaxObjectsPerKind;
    return counts_[static_cast<size_t>(kind)] < most && bytes_ + bytes <= kMaxObjectBytes;
  }
  // Keeps the object, unless it could not be created.
  void add(std::unique_ptr<RemoteObject> object) {
    if (object->handle == 0) return;
    ++counts_[static_cast<size_t>(object->kind)];
    bytes_ += object->bytes;
    objects_[object->handle] = std::move(object);
  }
  // [strand main] A handle that the child does not hold is ignored.
  void close(uint64_t handle) {
    const auto at = objects_.find(handle);
    if (at == objects_.end()) return;
    RemoteObject* object = at->second.release();
    objects_.erase(at);
    --counts_[static_cast<size_t>(object->kind)];
    bytes_ -= object->bytes;
    object->closing();
    close_handle(
        tables_of(host_), host_.self, object->kind, handle,
        [](void* user) noexcept {
          const std::unique_ptr<RemoteObject> ended(static_cast<RemoteObject*>(user));
          ended->closed();
        },
        object);
  }
  void close_all() {
    while (!objects_.empty()) close(objects_.begin()->first);
  }

 private:
  const Host& host_;
  std::map<uint64_t, std::unique_ptr<RemoteObject>> objects_;
  std::array<size_t, kHandleKinds> counts_{};  // by HandleKind
  size_t bytes_ = 0;
};

}  // namespace patchbay::core::isolation
