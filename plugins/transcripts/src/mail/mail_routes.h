// GET /api.ashx/v1/admin/mails: the outcome mails and what became of them. Main strand.
#pragma once

#include <patchbay/services/http_routes.h>
#include <patchbay/store.h>

#include "stored_page.h"

namespace patchbay::transcripts {

class MailRoutes {
 public:
  explicit MailRoutes(const Host& host);
  void open() { routes_.open(); }

 private:
  void list(const http::Request& request, Reply<http::Response> reply);

  // borrowed
  const Host& host_;
  // owned
  const StoredList list_;
  http::Routes routes_;
};

}  // namespace patchbay::transcripts
