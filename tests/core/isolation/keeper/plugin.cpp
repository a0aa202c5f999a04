#include <patchbay/plugin.h>
#include <patchbay/store.h>

#include <memory>
#include <utility>

#include "keeper.h"

namespace {

using namespace patchbay;
using namespace patchbay::keeper;

class KeeperPlugin final : public Plugin {
  Status start(const Config&) override {
    add_ = Statement::find(host(), "add");
    count_ = Statement::find(host(), "count");
    stamper_ = std::make_unique<Service<Stamper>>(host());
    offered_ = std::make_unique<Provision<Keeper>>(host());
    offered_
        ->on(Keeper::note,
             [this](Entry entry) -> Result<Empty> {
               Transaction::borrow(host(), entry.tx).exec(add_, {entry.word}, 1);
               return Empty{};
             })
        .on(Keeper::write, [this](Entry entry, Reply<Written> reply) { write(entry, std::move(reply)); })
        .on(Keeper::count, [this](Empty, Reply<Written> reply) { count(std::move(reply)); });
    return offered_->publish();
  }
  void stop(Done done) override {
    offered_.reset();
    stamper_.reset();
    done();
  }

  void write(const Entry& entry, Reply<Written> reply) {
    auto tx = std::make_shared<Transaction>(host());
    tx->exec(add_, {entry.word}, 1);
    stamper_->call(Stamper::stamp, {tx->handle(), entry.word},
                   [this, tx, word = entry.word, reply = std::move(reply)](Result<Empty> stamped) mutable {
                     if (!stamped) return reply.fail(stamped.error());
                     tx->exec(add_, {"after " + word}, 1);
                     std::move(*tx).commit([reply = std::move(reply)](const Commit& outcome) mutable {
                       if (!outcome) return reply.fail(outcome.error());
                       reply(Written{2, "stamped"});
                     });
                   });
  }

  void count(Reply<Written> reply) {
    query(host(), count_, {}, [reply = std::move(reply)](Result<Rows> rows) mutable {
      if (!rows) return reply.fail(rows.error());
      reply(Written{rows->integer(0, 0), {}});
    });
  }

  Statement add_, count_;
  std::unique_ptr<Service<Stamper>> stamper_;
  std::unique_ptr<Provision<Keeper>> offered_;
};

}  // namespace

PATCHBAY_PLUGIN(KeeperPlugin)
