#include "password_queue.h"

namespace patchbay::identity {

Status PasswordQueue::check(std::shared_ptr<Credential> credential, std::string password,
                            Function<bool()> wanted, Done done) {
  if (waiting_.size() >= kMostWaiting) return {Code::exhausted, "too many passwords wait to be checked"};
  waiting_.push_back(std::make_shared<Check>(
      Check{std::move(credential), std::move(password), std::move(wanted), std::move(done)}));
  run_waiting();
  return {};
}

void PasswordQueue::run_waiting() {
  while (running_ < kMostRunning && !waiting_.empty()) {
    const auto check = std::move(waiting_.front());
    waiting_.pop_front();
    if (!check->wanted()) {
      check->done({Code::cancelled, "not wanted any more"});
    } else if (run(check)) {
      ++running_;
    } else {
      check->done({Code::exhausted, "no worker is free"});
    }
  }
}

bool PasswordQueue::run(const std::shared_ptr<Check>& check) {
  auto finish = alive_.bind([this, check](bool matches) {
    --running_;
    check->done(matches);
    run_waiting();
  });
  return post_worker(*host_,
                     [host = host_, check, finish]() mutable {
                       const bool matches = check->credential->matches(check->password);
                       post(*host, kMainStrand, [finish, matches]() mutable { finish(matches); });
                     })
      .ok();
}

}  // namespace patchbay::identity
