// Sweep: deletes expired refresh tokens, sessions, codes and revocations once an hour. Main strand.
#pragma once

#include <patchbay/store.h>
#include <patchbay/strand.h>

#include "context.h"
#include "identity_limits.h"

namespace patchbay::identity {

class Sweep {
 public:
  explicit Sweep(Context& context)
      : context_(context),
        refresh_(Statement::find(context.host, "refresh_expire")),
        sessions_(Statement::find(context.host, "session_expire")),
        codes_(Statement::find(context.host, "code_expire")),
        timer_(context.host) {
    later();
  }

 private:
  void later() {
    timer_.after_ms(kRefreshSweepMs, [this] {
      run();
      later();
    });
  }
  void run() {
    const int64_t now_ms = context_.host.wall_ms();
    Transaction tx(context_.host);
    tx.exec(refresh_, {now_ms});
    tx.exec(sessions_, {now_ms});
    tx.exec(codes_, {now_ms - kCodeRowMs});
    context_.revoked.expire(tx);
    std::move(tx).commit([](const Commit&) {});
  }

  Context& context_;
  Statement refresh_, sessions_, codes_;
  Timer timer_;
};

}  // namespace patchbay::identity
