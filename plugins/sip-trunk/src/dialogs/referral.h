// Referral: our REFER inside a dialog (RFC 3515, RFC 4488), which asks the far end to call another
// number, and the NOTIFYs that report the progress. sip thread only.
#pragma once

#include <optional>
#include <string>

#include "dialogs/dialog_credentials.h"
#include "stack/sip_types.h"
#include "stack/sofia.h"

namespace patchbay::sip_trunk {

class Referral {
 public:
  // `refer_to`: value of Refer-To. `uri`: the request URI of the dialog's requests. The handle outlives this.
  Referral(nua_handle_t* handle, std::string refer_to, std::string uri)
      : handle_(handle), refer_to_(std::move(refer_to)), uri_(std::move(uri)) {}

  void send();
  // The answer to the REFER. Nothing: it was provisional, or a challenge that is answered.
  std::optional<ReferStep> on_answer(int status, const char* phrase, const sip_t* sip,
                                     const TrunkAccess& trunk);
  // Nothing: it has no final status yet.
  std::optional<ReferStep> on_notify(const sip_t* sip, tagi_t tags[]);
  // No further step comes.
  bool is_over() const noexcept { return is_over_; }

 private:
  std::optional<ReferStep> finish(ReferStep::Kind kind, int status, std::string text);

  nua_handle_t* const handle_;
  const std::string refer_to_;
  const std::string uri_;
  DialogCredentials credentials_;
  bool is_over_ = false;
};

}  // namespace patchbay::sip_trunk
