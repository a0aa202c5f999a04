#include "dialogs/dialog_credentials.h"

#include <utility>

#include "dialogs/digest.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

bool DialogCredentials::answer(int status, const sip_t* response, const TrunkAccess& trunk,
                               const std::string& method, const std::string& uri, const std::string& body) {
  if ((status != 401 && status != 407) || response == nullptr || tries_ == kMaxCredentialTries) return false;
  std::string& mine = status == 407 ? proxy_authorization_ : authorization_;
  if (!mine.empty() && !is_stale(*response)) return false;
  auto credentials = digest_answer(*response, trunk, {method, uri, body});
  if (!credentials) return false;
  mine = *std::move(credentials);
  ++tries_;
  return true;
}

void DialogCredentials::clear() {
  authorization_.clear();
  proxy_authorization_.clear();
  tries_ = 0;
}

}  // namespace patchbay::sip_trunk
