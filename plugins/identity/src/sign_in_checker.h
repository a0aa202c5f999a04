// SignInChecker: checks passwords within the limits on attempts, for the token endpoint and the login page
// alike; counts and logs each sign-in by its outcome. Main strand.
#pragma once

#include <patchbay/log.h>

#include <string>

#include "context.h"
#include "identity_limits.h"
#include "password_queue.h"
#include "rate/rate_limiter.h"
#include "rate/sign_in_limits.h"

namespace patchbay::identity {

struct SignInAttempt {
  std::string tenant;
  std::string username;  // "": not known, as of a refresh token
  std::string method;    // "password", "login page", "refresh_token", "authorization_code"
  std::string remote;
  std::string correlation;
};

class SignInChecker {
 public:
  enum class Result { ok, refused, throttled, busy };
  struct Outcome {
    Result result = Result::ok;
    int64_t wait_sec = 0;  // until another attempt may be made, if throttled or busy
  };
  SignInChecker(Context& context, PasswordQueue& passwords);

  // An unknown or disabled user gets the same outcome as a wrong password, after the same time. Call
  // signed_in() when what follows from `ok` is done.
  void check_password(const SignInAttempt& attempt, const std::string& password,
                      Function<void(Outcome)> done);
  // For tokens and codes: the seconds that attempts of this address have to wait; 0: none.
  int64_t throttled_sec(const SignInAttempt& attempt);
  // Counts an invalid token or code against its address.
  void refused_token(const SignInAttempt& attempt, const std::string& why);
  // Counts a refusal that no limit counts, such as a user who was removed meanwhile.
  void refused(const SignInAttempt& attempt, const std::string& why);
  void signed_in(const SignInAttempt& attempt);

 private:
  void checked(const SignInAttempt& attempt, const patchbay::Result<bool>& matches,
               const Function<void(Outcome)>& done);
  Outcome throttle(const SignInAttempt& attempt, int64_t wait_ms);
  Outcome busy();
  int64_t wait_ms(const SignInAttempt& attempt) const;
  bool may_log(const SignInAttempt& attempt);

  Context& context_;
  PasswordQueue& passwords_;
  lib::SignInLimits limits_;
  // By address.
  lib::RateLimiter log_lines_{{kRefusalLinesPerSec, kMaxRefusalLines, kMaxRefusalLineAddresses}};
  const Metric signed_in_, refused_, throttled_, slowed_, busy_;
};

}  // namespace patchbay::identity
