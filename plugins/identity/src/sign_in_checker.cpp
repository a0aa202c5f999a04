#include "sign_in_checker.h"

#include <memory>
#include <utility>

#include "rate/address_key.h"

namespace patchbay::identity {
namespace {

Metric outcome_metric(const Host& host, const char* name) {
  return Metric::counter(host, "patchbay_identity_sign_ins_total",
                         "Requests to the token endpoint and forms of the login page by outcome; slowed ones "
                         "count again when they end",
                         {{"outcome", name}});
}

lib::SignInLimits::Attempt limited(const SignInAttempt& attempt) {
  return {attempt.tenant + "\n" + attempt.username, attempt.remote};
}

}  // namespace

SignInChecker::SignInChecker(Context& context, PasswordQueue& passwords)
    : context_(context),
      passwords_(passwords),
      signed_in_(outcome_metric(context.host, "ok")),
      refused_(outcome_metric(context.host, "refused")),
      throttled_(outcome_metric(context.host, "throttled")),
      slowed_(outcome_metric(context.host, "slowed")),
      busy_(outcome_metric(context.host, "busy")) {}

int64_t SignInChecker::wait_ms(const SignInAttempt& attempt) const {
  return limits_.wait_ms(limited(attempt), context_.host.mono_ns());
}

void SignInChecker::check_password(const SignInAttempt& attempt, const std::string& password,
                                   Function<void(Outcome)> done) {
  if (attempt.username.size() > kMaxUserNameBytes || password.size() > kMaxPasswordBytes) {
    refused(attempt, "too long");
    return done({Result::refused, 0});
  }
  if (const int64_t wait = wait_ms(attempt); wait > 0) return done(throttle(attempt, wait));
  const Tenant* tenant = context_.settings.tenant(attempt.tenant);
  const User* user = context_.users.enabled(attempt.tenant, attempt.username);
  PasswordQueue::Request check;
  check.address = lib::address_key(attempt.remote);
  check.credential = user ? user->credential : tenant->dummy_credential;
  check.password = password;
  check.delay_ms = limits_.delay_ms(limited(attempt), context_.host.mono_ns());
  check.still_wanted = [this, attempt] { return wait_ms(attempt) == 0; };
  if (check.delay_ms > 0) slowed_.add();
  // Shared, because the queue may refuse the request.
  auto shared = std::make_shared<Function<void(Outcome)>>(std::move(done));
  const Status waits = passwords_.check(
      std::move(check),
      [this, attempt, shared](const patchbay::Result<bool>& matches) { checked(attempt, matches, *shared); });
  if (!waits) (*shared)(busy());
}

void SignInChecker::checked(const SignInAttempt& attempt, const patchbay::Result<bool>& matches,
                            const Function<void(Outcome)>& done) {
  if (!matches && matches.error().code == Code::cancelled) return done(throttle(attempt, wait_ms(attempt)));
  if (!matches) return done(busy());
  if (!*matches) {
    limits_.failed(limited(attempt), context_.host.mono_ns());
    refused(attempt, "unknown user or wrong password");
    return done({Result::refused, 0});
  }
  limits_.succeeded(limited(attempt));
  done({Result::ok, 0});
}

SignInChecker::Outcome SignInChecker::busy() {
  busy_.add();
  return {Result::busy, 1};
}

// Limits log lines per address; the metric counts all refusals.
bool SignInChecker::may_log(const SignInAttempt& attempt) {
  return log_lines_.take(lib::address_key(attempt.remote), context_.host.mono_ns()) == 0;
}

SignInChecker::Outcome SignInChecker::throttle(const SignInAttempt& attempt, int64_t wait_ms) {
  if (may_log(attempt))
    context_.log.with(attempt.correlation)
        .warn("sign-ins are throttled",
              {{"tenant", attempt.tenant}, {"user", attempt.username}, {"remote", attempt.remote}});
  throttled_.add();
  return {Result::throttled, wait_ms / 1000 + 1};
}

int64_t SignInChecker::throttled_sec(const SignInAttempt& attempt) {
  const int64_t wait = limits_.wait_at_ms(attempt.remote, context_.host.mono_ns());
  return wait > 0 ? throttle(attempt, wait).wait_sec : 0;
}

void SignInChecker::refused_token(const SignInAttempt& attempt, const std::string& why) {
  limits_.failed_at(attempt.remote, context_.host.mono_ns());
  refused(attempt, why);
}

void SignInChecker::refused(const SignInAttempt& attempt, const std::string& why) {
  refused_.add();
  if (!may_log(attempt)) return;
  context_.log.with(attempt.correlation)
      .warn("a sign-in was refused", {{"tenant", attempt.tenant},
                                      {"user", attempt.username.substr(0, kMaxUserNameBytes)},
                                      {"grant", attempt.method},
                                      {"remote", attempt.remote},
                                      {"why", why}});
}

void SignInChecker::signed_in(const SignInAttempt& attempt) {
  signed_in_.add();
  context_.log.with(attempt.correlation)
      .info("signed in", {{"tenant", attempt.tenant},
                          {"user", attempt.username},
                          {"grant", attempt.method},
                          {"remote", attempt.remote}});
}

}  // namespace patchbay::identity
