// DialogCredentials: answers the challenges to one request inside a dialog. sip thread only.
#pragma once

#include <string>

#include "stack/sip_types.h"
#include "stack/sofia.h"

namespace patchbay::sip_trunk {

class DialogCredentials {
 public:
  // Returns whether the request is to be sent again with the header values below: `response` is a 401 or 407
  // that can be answered. `uri` is the request URI.
  bool answer(int status, const sip_t* response, const TrunkAccess& trunk, const std::string& method,
              const std::string& uri, const std::string& body);
  // Forgets them, for the next request.
  void clear();

  // Header values; empty: none.
  const std::string& authorization() const noexcept { return authorization_; }
  const std::string& proxy_authorization() const noexcept { return proxy_authorization_; }

 private:
  std::string authorization_, proxy_authorization_;
  unsigned tries_ = 0;
};

}  // namespace patchbay::sip_trunk
