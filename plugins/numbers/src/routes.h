// GET /api.ashx/v1/numbers, and the management of virtual numbers below /api.ashx/v1/admin/numbers. Main
// strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/services/audit.h>
#include <patchbay/services/http_routes.h>

#include "number_directory.h"

namespace patchbay::numbers {

class NumberRoutes {
 public:
  // Borrows all.
  NumberRoutes(const Host& host, const Log& log, NumberDirectory& directory, NumberStore& store);

  void open() { routes_.open(); }

 private:
  using Reply = patchbay::Reply<http::Response>;
  using Handle = void (NumberRoutes::*)(const http::Request&, Reply);

  void add(http::Route route, Handle handle);
  void list(const http::Request& request, Reply reply);
  void get(const http::Request& request, Reply reply);
  void create(const http::Request& request, Reply reply);
  void change(const http::Request& request, Reply reply);
  void remove(const http::Request& request, Reply reply);

  // Finds {number}, and calls next(number) if it can be changed over REST; otherwise replies.
  void find_writable(const http::Request& request, Reply reply, Function<void(VirtualNumber, Reply)> next);
  void insert(const http::Request& request, VirtualNumber number, Reply reply);
  void update(const http::Request& request, const VirtualNumber& before, VirtualNumber after, Reply reply);
  void commit(Transaction tx, const http::Request& request, audit::Record record, std::string_view conflict,
              http::Response response, Reply reply);

  // borrowed
  const Host& host_;
  const Log& log_;
  NumberDirectory& directory_;
  NumberStore& store_;
  // owned
  audit::Trail trail_;
  http::Routes routes_;
  Lifetime alive_;
};

}  // namespace patchbay::numbers
