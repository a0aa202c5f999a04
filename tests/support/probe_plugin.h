// Probe: a plugin inside the test that provides patchbay.http, patchbay.telephony and patchbay.audit to the
// plugins under test, and calls their services for the test. One at a time in a process. Every call waits at
// most a minute.
//
//   CoreOptions options; options.linked_plugins = {probe::entry()};   // and `probe: {}` under `plugins`
//   auto answer = probe::ask("GET", "/oidc.ashx/jwks", {});
#pragma once

#include <patchbay/abi.h>
#include <patchbay/services/audit.h>
#include <patchbay/services/auth.h>
#include <patchbay/services/http.h>
#include <patchbay/services/telephony.h>

#include <functional>
#include <future>
#include <string>
#include <vector>

namespace probe {

using patchbay::Host;
using patchbay::Result;

const pb_entry* entry();
// The same, without patchbay.telephony, for tests with a real one.
const pb_entry* http_entry();

// Calls the handler of a route, given by its method and path as registered ("/v1/keys/{id}"), and its
// discriminator if any. Waits for the route to be registered.
std::future<Result<patchbay::http::Response>> begin(const std::string& method, const std::string& path,
                                                    patchbay::http::Request request,
                                                    const std::string& discriminator = "");
Result<patchbay::http::Response> ask(const std::string& method, const std::string& path,
                                     patchbay::http::Request request, const std::string& discriminator = "");
std::vector<patchbay::http::Route> routes();

// The audit records of committed transactions, in order; waits until there are that many. The text has a line
// each: action, object, before and after.
std::vector<patchbay::audit::Record> audited(size_t at_least);
std::string audit_text(size_t at_least);

std::future<Result<patchbay::auth::Principal>> begin_verify(const std::string& bearer);
Result<patchbay::auth::Principal> verify(const std::string& bearer);

// The verdict of the added gates; the first refusal counts.
Result<patchbay::telephony::Verdict> dial(const std::string& tenant, const std::string& number);

// Runs f(host) on the probe's strand; f must not wait.
void run(std::function<void(const Host&)> f);

// Waits for the value; an error after a minute.
template <class T>
Result<T> wait(std::future<Result<T>> future) {
  if (future.wait_for(std::chrono::seconds(60)) != std::future_status::ready)
    return {patchbay::Code::timeout, "the test waited a minute"};
  return future.get();
}

}  // namespace probe
