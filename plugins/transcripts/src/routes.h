// GET /api.ashx/v1/transcripts, GET and DELETE /api.ashx/v1/transcripts/{callId}. Main strand; files are read
// on workers. A transcript of another tenant gets 404, like a missing one.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/audit.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/store.h>

#include <string>

#include "archive.h"
#include "deletion.h"
#include "stored_page.h"

namespace patchbay::transcripts {

class TranscriptRoutes {
 public:
  TranscriptRoutes(const Host& host, const Archive& archive, const Deletion& deletion);
  void open() { routes_.open(); }

 private:
  using Reply = patchbay::Reply<http::Response>;

  void add_list();
  void add_get();
  void add_delete();
  void list(const http::Request& request, Reply reply);
  void get(const http::Request& request, Reply reply);
  void remove(const http::Request& request, Reply reply);
  void read(std::string tenant, std::string file, Reply reply);

  // borrowed
  const Host& host_;
  const Archive& archive_;
  const Deletion& deletion_;
  // owned
  const StoredList list_;
  const Statement find_, find_item_;
  audit::Trail trail_;
  http::Routes routes_;
  Lifetime alive_;
};

}  // namespace patchbay::transcripts
