#include "password_queue.h"

namespace patchbay::identity {

Status PasswordQueue::check(Question question, Done done) {
  const auto lane = lanes_.find(question.address);
  const size_t of_address = lane == lanes_.end() ? 0 : lane->second.waiting;
  if (waiting_ >= kMaxWaiting || of_address >= kMaxWaitingPerAddress)
    return {Code::exhausted, "too many passwords wait to be checked"};
  ++waiting_;
  ++lanes_[question.address].waiting;
  auto check = std::make_shared<Check>(Check{std::move(question), std::move(done)});
  if (check->question.delay_ms > 0) {
    hold(std::move(check));
  } else {
    enqueue(std::move(check));
  }
  return {};
}

// The timer belongs to the list and not to the check, which its callback owns: otherwise neither would ever
// be freed.
void PasswordQueue::hold(Shared check) {
  const int64_t delay_ms = check->question.delay_ms;
  held_.emplace_back(*host_);
  const auto timer = std::prev(held_.end());
  timer->after_ms(delay_ms, [this, timer, check = std::move(check)]() mutable {
    held_.erase(timer);
    enqueue(std::move(check));
  });
}

void PasswordQueue::enqueue(Shared check) {
  const std::string& address = check->question.address;
  Lane& lane = lanes_[address];
  if (lane.ready.empty()) turns_.push_back(address);
  lane.ready.push_back(std::move(check));
  run_waiting();
}

PasswordQueue::Shared PasswordQueue::take_next() {
  const std::string address = std::move(turns_.front());
  turns_.pop_front();
  const auto place = lanes_.find(address);
  Lane& lane = place->second;
  Shared check = std::move(lane.ready.front());
  lane.ready.pop_front();
  --lane.waiting;
  --waiting_;
  if (!lane.ready.empty()) turns_.push_back(address);
  if (lane.waiting == 0) lanes_.erase(place);
  return check;
}

void PasswordQueue::run_waiting() {
  while (running_ < kMaxRunning && !turns_.empty()) {
    const Shared check = take_next();
    if (!check->question.wanted()) {
      check->done({Code::cancelled, "not wanted any more"});
    } else if (run(check)) {
      ++running_;
    } else {
      check->done({Code::exhausted, "no worker is free"});
    }
  }
}

bool PasswordQueue::run(const Shared& check) {
  auto finish = alive_.bind([this, check](bool matches) {
    --running_;
    check->done(matches);
    run_waiting();
  });
  return post_worker(*host_,
                     [host = host_, check, finish]() mutable {
                       const bool matches = check->question.credential->matches(check->question.password);
                       post(*host, kMainStrand, [finish, matches]() mutable { finish(matches); });
                     })
      .ok();
}

}  // namespace patchbay::identity
