#include "password_queue.h"

namespace patchbay::identity {

Status PasswordQueue::check(std::shared_ptr<Credential> credential, std::string password, Done done) {
  if (waiting_.size() >= kMostWaiting) return {Code::exhausted, "too many passwords wait to be checked"};
  waiting_.push_back({std::move(credential), std::move(password), std::move(done)});
  run_next();
  return {};
}

void PasswordQueue::run_next() {
  if (running_ >= kMostRunning || waiting_.empty()) return;
  auto check =
      std::make_shared<Check>(std::move(waiting_.front()));  // the worker's and, if none takes it, ours
  waiting_.pop_front();
  ++running_;
  auto finish = alive_.bind([this, check](bool matches) {
    --running_;
    check->done(matches);
    run_next();
  });
  const Status taken = post_worker(*host_, [host = host_, check, finish]() mutable {
    post(*host, kMainStrand,
         [finish, matches = check->credential->matches(check->password)]() mutable { finish(matches); });
  });
  if (taken) return;
  --running_;
  check->done({Code::exhausted, "no worker is free"});
}

}  // namespace patchbay::identity
