// patchbay.audit: the record of who changed what. Every route that changes what an operator manages adds its
// record to the transaction of the change, so that neither is stored without the other. Provided by rest-api.
// Maturity: experimental.
//
//   audit::Trail trail_{host()};
//   Transaction tx(host());
//   tx.exec(rename_, {id, name}, 1);
//   trail_.commit(std::move(tx), audit::record_of(request, "door.renamed", id, before_json, after_json),
//                 alive_.bind([reply = std::move(reply)](const Commit& done) mutable { ... }));
#pragma once

#include <string>
#include <utility>

#include "../service.h"
#include "../store.h"
#include "http.h"

namespace patchbay::audit {

struct Record {
  Handle tx;                // the transaction of the change
  std::string tenant;       // whose object it is; "": of the server
  std::string actor;        // Request::username
  std::string remote;       // Request::remote; "unix" on the admin socket
  std::string action;       // the kind of object and what was done: "webhook.created"
  std::string object;       // identifies the object within its kind
  std::string before;       // JSON; "": there was none. Without secrets
  std::string after;        // JSON; "": there is none now. Without secrets
  std::string correlation;  // Request::correlation
  PATCHBAY_FIELDS(tx, tenant, actor, remote, action, object, before, after, correlation)
};

// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: the caller keeps the transaction, and commits or discards it after the reply.
// Since: 0.1
struct Audit {
  static constexpr char id[] = "patchbay.audit/1";
  // Adds exactly one exec() to the transaction. Code::invalid: before or after is no JSON, or action is
  // empty.
  static constexpr Method<0, Record, Empty> record{"record"};
  static constexpr auto methods() { return std::make_tuple(record); }
};

inline Record record_of(const http::Request& request, std::string_view action, std::string_view object,
                        std::string_view before, std::string_view after) {
  return {{},
          request.tenant,
          request.username,
          request.remote,
          std::string(action),
          std::string(object),
          std::string(before),
          std::string(after),
          request.correlation};
}

// Commits changes together with their records. Create, use and destroy it on the main strand.
class Trail {
 public:
  explicit Trail(const Host& host) : audit_(host) {}

  // Adds the record, commits, and calls done(const Commit&) on the main strand. The results of the caller's
  // own exec() keep their indices. A change that cannot be recorded is not made: Code::unavailable.
  template <class F>
  void commit(Transaction tx, Record record, F done) {
    record.tx = tx.handle();
    audit_.call(Audit::record, record,
                [tx = std::move(tx), done = std::move(done)](const Result<Empty>& recorded) mutable {
                  if (recorded) return std::move(tx).commit(std::move(done));
                  pb_commit refused{};
                  refused.size = sizeof refused;
                  refused.status = static_cast<int32_t>(recorded.error().code);
                  refused.failed_operation = -1;
                  refused.text = to_abi(recorded.error().text);
                  done(Commit(&refused));
                });
  }

 private:
  Service<Audit> audit_;
};

}  // namespace patchbay::audit
