// FarReferral: a REFER of the far end inside a dialog (RFC 3515), and the NOTIFYs by which we tell it how the
// transfer goes. sip thread only.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "stack/sofia.h"

namespace patchbay::sip_trunk {

class FarReferral {
 public:
  // `event`: value of Event in the NOTIFYs; "": the far end wants none (RFC 4488). The handle outlives this.
  FarReferral(nua_handle_t* handle, std::string event) : handle_(handle), event_(std::move(event)) {}

  // Sends the status of the call that we make; one from 200 on is the last.
  void report(int status, const std::string& phrase);
  bool is_over() const noexcept { return is_over_; }

 private:
  nua_handle_t* const handle_;
  const std::string event_;
  bool is_over_ = false;
};

}  // namespace patchbay::sip_trunk
