// /signal.ashx?whitelist=list|add|write, and DELETE of one number below /api.ashx. Main strand.
#pragma once

#include <patchbay/log.h>
#include <patchbay/services/http_routes.h>

#include <string>
#include <vector>

#include "authorizer.h"
#include "entry_store.h"
#include "whitelist_limits.h"

namespace patchbay::whitelist {

class WhitelistRoutes {
 public:
  WhitelistRoutes(const Host& host, Authorizer& authorizer, EntryStore& entries);

  // Error: a schema of this file is invalid.
  Status open();

 private:
  using Reply = patchbay::Reply<http::Response>;
  using Serve = void (WhitelistRoutes::*)(const http::Request&, const std::string& actor, Reply);

  void route(const char* method, const char* verb, const char* summary, const char* example,
             const char* request_schema, const char* reply_schema, Serve serve);
  void authorize(const char* verb, const http::Request& request, Serve serve, Reply reply);
  void list(const http::Request& request, const std::string& actor, Reply reply);
  void add(const http::Request& request, const std::string& actor, Reply reply);
  void write(const http::Request& request, const std::string& actor, Reply reply);
  void add_removal();
  void remove(const http::Request& request, Reply reply);
  Result<std::vector<Entry>> read_entries(const http::Request& request) const;
  http::Response not_applied(const http::Request& request, const Error& error) const;
  void log_change(const char* what, const http::Request& request, const std::string& actor,
                  int64_t count) const;

  const Host* host_;
  Authorizer& authorizer_;
  EntryStore& entries_;

  Log log_;
  const Metric refused_;
  // Of the log about refusals, by address.
  lib::RateLimiter lines_{{kRefusalLinesPerSec, kMaxRefusalLines, kMaxRefusalLineAddresses}};
  Schema add_body_, write_body_;
  http::Routes routes_;
  Lifetime alive_;
};

}  // namespace patchbay::whitelist
