// GET /share/{token}: a shared transcript, as a page or as JSON, without a bearer. An unknown, expired or
// revoked token gets the same 404; an address that asks for many of them gets 429 instead. Main strand;
// documents are read and rendered on workers.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/store.h>

#include <string>

#include "archive.h"
#include "rate/address_limiter.h"
#include "shares/share.h"

namespace patchbay::transcripts {

class ShareView {
 public:
  ShareView(const Host& host, const Archive& archive);
  void open() { routes_.open(); }

 private:
  using Reply = patchbay::Reply<http::Response>;
  // What of the request the answer depends on.
  struct Visit {
    std::string remote, correlation;
    bool wants_json = false;
    bool is_head = false;
  };

  void view(const http::Request& request, Reply reply);
  void read(Visit visit, Share share, Reply reply);
  Result<http::Response> render(const Visit& visit, const Share& share) const;
  void record_view(const Visit& visit, const Share& share, http::Response response, Reply reply);
  http::Response missing(const Visit& visit);
  http::Response with_headers(http::Response response) const;

  // borrowed
  const Host& host_;
  const Archive& archive_;
  // owned
  const Statement open_, viewed_;
  const std::string security_policy_;
  const Metric views_, misses_;
  http::Routes routes_;
  Lifetime alive_;
  // state
  lib::AddressLimiter limiter_;  // of requests for unknown shares
};

}  // namespace patchbay::transcripts
