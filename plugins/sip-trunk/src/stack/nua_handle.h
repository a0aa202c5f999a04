// NuaHandle: owns a nua handle. HandleOwner: receives its events from the user agent. sip thread only.
#pragma once

#include <atomic>

#include "stack/sip_types.h"
#include "stack/sofia.h"

namespace patchbay::sip_trunk {

// Receives the events of its handles and of its timer.
class HandleOwner {
 public:
  virtual ~HandleOwner() = default;
  virtual DialogId id() const noexcept = 0;
  virtual void on_event(nua_event_t event, int status, const char* phrase, nua_handle_t* handle,
                        const sip_t* sip, tagi_t tags[]) = 0;
  virtual void on_timer() = 0;
  // Returns whether the user agent may delete this object, because no further event matters.
  virtual bool is_closed() const noexcept = 0;
};

// The destructor ends pending transactions of the handle.
class NuaHandle {
 public:
  NuaHandle() noexcept = default;
  NuaHandle(nua_t* nua, HandleOwner* owner, std::atomic<size_t>& count);
  // Takes over a handle that sofia-sip has made for a request.
  NuaHandle(nua_handle_t* handle, HandleOwner* owner, std::atomic<size_t>& count);
  NuaHandle(NuaHandle&& other) noexcept;
  NuaHandle& operator=(NuaHandle&& other) noexcept;
  ~NuaHandle();

  nua_handle_t* get() const noexcept { return handle_; }

 private:
  nua_handle_t* handle_ = nullptr;
  std::atomic<size_t>* count_ = nullptr;
};

}  // namespace patchbay::sip_trunk
