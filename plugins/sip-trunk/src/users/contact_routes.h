// GET /api.ashx/v1/admin/contacts: where the users of a tenant can be rung now. Main strand.
#pragma once

#include <patchbay/services/http_routes.h>

#include "read_settings.h"
#include "users/contact_directory.h"

namespace patchbay::sip_trunk {

class ContactRoutes {
 public:
  // All outlive this.
  ContactRoutes(const Settings& settings, const ContactDirectory& directory)
      : settings_(settings), directory_(directory) {}

  void add_to(http::Routes& routes);

 private:
  http::Response list(const http::Request& request) const;

  const Settings& settings_;
  const ContactDirectory& directory_;
};

}  // namespace patchbay::sip_trunk
