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
  // [any] The core no longer uses it; it is freed next.
  virtual void closed() {}

  const HandleKind kind;
  uint64_t handle = 0;  // 0: it could not be created
};

class RemoteObjects {
 public:
  explicit RemoteObjects(const Host& host) : host_(host) {}
  // True once the child must be refused more objects of that kind.
  bool is_full(HandleKind kind) const { return counts_[static_cast<size_t>(kind)] >= kMaxObjectsPerKind; }
  // Keeps the object, unless it could not be created.
  void add(std::unique_ptr<RemoteObject> object) {
    if (object->handle == 0) return;
    ++counts_[static_cast<size_t>(object->kind)];
    objects_[object->handle] = std::move(object);
  }
  // [strand main] A handle that the child does not hold is ignored.
  void close(uint64_t handle) {
    const auto at = objects_.find(handle);
    if (at == objects_.end()) return;
    RemoteObject* object = at->second.release();
    objects_.erase(at);
    --counts_[static_cast<size_t>(object->kind)];
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
};

}  // namespace patchbay::core::isolation
