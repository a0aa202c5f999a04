// POST, GET and DELETE /api.ashx/v1/admin/shares: creates, lists and revokes public links to transcripts.
// Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/audit.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/store.h>

#include "shares/share.h"
#include "stored_page.h"

namespace patchbay::transcripts {

class ShareRoutes {
 public:
  explicit ShareRoutes(const Host& host);
  void open() { routes_.open(); }

 private:
  using Reply = patchbay::Reply<http::Response>;

  void add_create();
  void add_list();
  void add_revoke();
  void create(const http::Request& request, Reply reply);
  void store(const http::Request& request, Share share, Reply reply);
  void list(const http::Request& request, Reply reply);
  void revoke(const http::Request& request, Reply reply);
  void revoke_share(const http::Request& request, const Share& share, Reply reply);

  // borrowed
  const Host& host_;
  // owned
  const StoredList list_;
  const Statement find_transcript_, insert_, get_, delete_;
  audit::Trail trail_;
  http::Routes routes_;
  Lifetime alive_;
};

}  // namespace patchbay::transcripts
