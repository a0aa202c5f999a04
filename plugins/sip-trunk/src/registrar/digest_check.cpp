#include "registrar/digest_check.h"

#include <patchbay/hex.h>
#include <patchbay/text.h>

#include <utility>

#include "crypto/digest.h"
#include "now_ms.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

// HA1 of a user that does not exist, so that the same work is done for one.
constexpr char kNoHa1[] = "00000000000000000000000000000000";

std::string mark_of(const std::string& key, const std::string& ha1) {
  return to_hex(lib::hmac_sha256(key, ha1));
}

}  // namespace

DigestCheck::DigestCheck(const Host& host, std::shared_ptr<const Challenges> challenges, std::string mark_key)
    : host_(host),
      challenges_(std::move(challenges)),
      mark_key_(std::move(mark_key)),
      log_(host),
      auth_(host),
      delay_timer_(host) {}

// A nonce may be used again with a higher count only, so that a recorded request is of no use.
bool DigestCheck::is_replayed(const DigestCredentials& credentials) const {
  const auto known = counts_.find(credentials.nonce);
  return known != counts_.end() && credentials.count <= known->second;
}

void DigestCheck::remember(const DigestCredentials& credentials) {
  const auto [at, is_new] = counts_.try_emplace(credentials.nonce, credentials.count);
  at->second = credentials.count;
  if (!is_new) return;
  oldest_.push_back(credentials.nonce);
  if (oldest_.size() <= kMaxUsedNonces) return;
  counts_.erase(oldest_.front());
  oldest_.pop_front();
}

void DigestCheck::check(const RegisterRequest& request, Function<void(const Answer&)> done) {
  Verdict verdict = Verdict::unproven;
  for (const std::string& value : request.credentials) {
    const auto credentials = parse_digest_credentials(value);
    if (!credentials || credentials->realm != request.host || !challenges_->has(credentials->algorithm))
      continue;
    verdict = Verdict::stale;
    if (!challenges_->nonces().is_valid(credentials->nonce, request.source.ip_text(), now_ms()) ||
        is_replayed(*credentials))
      continue;
    const std::string uri_host = host_of_sip_uri(credentials->uri);
    if (credentials->username != request.user || (uri_host != request.uri_host && uri_host != request.host))
      return done({Verdict::foreign});
    return ask(request, *credentials, std::move(done));
  }
  done({verdict});
}

void DigestCheck::ask(const RegisterRequest& request, const DigestCredentials& credentials,
                      Function<void(const Answer&)> done) {
  const lib::SignInLimits::Attempt attempt{request.host + "\n" + request.user, request.source.ip_text()};
  const int64_t now_ns = host_.mono_ns();
  if (const int64_t wait_ms = limits_.wait_ms(attempt, now_ns); wait_ms > 0) {
    Answer answer{Verdict::throttled};
    answer.retry_sec = (wait_ms + 999) / 1000;
    return done(answer);
  }
  auto held = std::make_shared<Function<void(const Answer&)>>(std::move(done));
  auto begin = alive_.bind([this, request, credentials, held] {
    auth_.call(auth::Auth::sip_digest,
               {request.host, credentials.username, credentials.realm, credentials.algorithm},
               alive_.bind([this, request, credentials, held](const Result<auth::SipCredential>& reply) {
                 (*held)(judge(request, credentials, reply));
               }));
  });
  const int64_t delay_ms = limits_.delay_ms(attempt, now_ns);
  if (delay_ms == 0) return begin();
  if (delayed_.size() >= kMaxPendingRegisters) return (*held)({Verdict::throttled, {}, 1});
  delayed_.push_back({now_ns + delay_ms * 1'000'000, std::move(begin)});
  if (!delay_timer_.armed()) delay_timer_.after_ms(delay_ms, [this] { run_delayed(); });
}

// All delays are equal, so the first one is due first.
void DigestCheck::run_delayed() {
  const int64_t now_ns = host_.mono_ns();
  while (!delayed_.empty() && delayed_.front().due_ns <= now_ns) {
    const Function<void()> task = std::move(delayed_.front().task);
    delayed_.pop_front();
    task();
  }
  if (!delayed_.empty())
    delay_timer_.after_ms((delayed_.front().due_ns - now_ns) / 1'000'000 + 1, [this] { run_delayed(); });
}

DigestCheck::Answer DigestCheck::judge(const RegisterRequest& request, const DigestCredentials& credentials,
                                       const Result<auth::SipCredential>& reply) {
  if (!reply && reply.error().code != Code::denied) {
    log_.warn("a telephone's password cannot be checked", {{"why", reply.error().text}});
    return {Verdict::failed};
  }
  const lib::SignInLimits::Attempt attempt{request.host + "\n" + request.user, request.source.ip_text()};
  const bool is_right = proves(credentials, "REGISTER", reply ? reply->ha1 : std::string(kNoHa1));
  if (!reply || !is_right) {
    limits_.failed(attempt, host_.mono_ns());
    log_.warn("a telephone has a wrong user or password",
              {{"tenant", request.host},
               {"user", printable_ascii(request.user, kMaxShownParameterBytes)},
               {"address", request.source.text()}});
    return {Verdict::wrong};
  }
  if (is_replayed(credentials)) return {Verdict::stale};
  remember(credentials);
  limits_.succeeded(attempt);
  Answer answer{Verdict::proven};
  answer.sender = {request.host, request.user, credentials.algorithm, mark_key_,
                   mark_of(mark_key_, reply->ha1)};
  return answer;
}

void DigestCheck::check_again(const Binding& binding, Function<void(const Status&)> done) {
  auth_.call(auth::Auth::sip_digest, {binding.tenant, binding.user, binding.tenant, binding.algorithm},
             alive_.bind([key = binding.mark_key, mark = binding.credential_mark,
                          done = std::move(done)](const Result<auth::SipCredential>& reply) {
               if (!reply) return done(Status(reply.error()));
               const bool is_same = lib::equal_constant_time(mark_of(key, reply->ha1), mark);
               done(is_same ? Status() : Status(Error{Code::denied, "the user has another password now"}));
             }));
}

}  // namespace patchbay::sip_trunk
