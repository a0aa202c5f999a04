// DigestCheck: asks patchbay.auth whether a REGISTER is its user's: the password, replays, and the limits of
// wrong passwords, which are those of sign-ins. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/host.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/service.h>
#include <patchbay/services/auth.h>
#include <patchbay/strand.h>

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "rate/sign_in_limits.h"
#include "registrar/bindings.h"
#include "registrar/challenges.h"
#include "registrar/digest_credentials.h"
#include "registrar/register_types.h"

namespace patchbay::sip_trunk {

class DigestCheck {
 public:
  enum class Verdict {
    proven,
    unproven,   // no credentials that count: ask for them
    stale,      // only their nonce does not count any more
    wrong,      // the password, or the user is unknown
    foreign,    // they are another user's, or for another URI
    throttled,  // too many wrong passwords: `retry_sec`
    failed,     // they cannot be checked now
  };
  struct Answer {
    Verdict verdict = Verdict::failed;
    Bindings::Sender sender{};  // proven
    int64_t retry_sec = 0;
  };
  // `mark_key`: secret and random, in hexadecimal.
  DigestCheck(const Host& host, std::shared_ptr<const Challenges> challenges, std::string mark_key);

  // Calls done() once, perhaps before this returns. `request.host` is a tenant.
  void check(const RegisterRequest& request, Function<void(const Answer&)> done);
  // Calls done() once. Code::denied: the user has gone, or has another password than at the registration; any
  // other error: it cannot be told now.
  void check_again(const Binding& binding, Function<void(const Status&)> done);

 private:
  void ask(const RegisterRequest& request, const DigestCredentials& credentials,
           Function<void(const Answer&)> done);
  Answer judge(const RegisterRequest& request, const DigestCredentials& credentials,
               const Result<auth::SipCredential>& reply);
  bool is_replayed(const DigestCredentials& credentials) const;
  void remember(const DigestCredentials& credentials);
  void run_delayed();

  struct Delayed {
    int64_t due_ns;
    Function<void()> task;
  };
  const Host& host_;
  const std::shared_ptr<const Challenges> challenges_;
  const std::string mark_key_;
  const Log log_;
  Service<auth::Auth> auth_;
  lib::SignInLimits limits_;
  std::map<std::string, uint32_t> counts_;  // by nonce: the highest nc of a request that was proven
  std::deque<std::string> oldest_;          // the same nonces, the oldest first
  std::deque<Delayed> delayed_;
  Timer delay_timer_;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
