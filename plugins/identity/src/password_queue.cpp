#include "password_queue.h"

#include "identity_limits.h"

namespace patchbay::identity {
namespace {

bool run_on_worker(const PasswordQueue::Request& request) {
  if (!request.only_hash) return request.credential->matches(request.password);
  request.credential->prepare();
  return true;
}

}  // namespace

Status PasswordQueue::check(Request request, Done done) {
  const auto queue = queues_.find(request.address);
  const size_t of_address = queue == queues_.end() ? 0 : queue->second.waiting;
  if (waiting_ >= kMaxWaitingPasswords || of_address >= kMaxWaitingPasswordsPerAddress)
    return {Code::exhausted, "too many passwords wait to be checked"};
  ++waiting_;
  ++queues_[request.address].waiting;
  auto check = std::make_shared<Check>(Check{std::move(request), std::move(done)});
  if (check->request.delay_ms > 0) {
    hold(std::move(check));
  } else {
    enqueue(std::move(check));
  }
  return {};
}

// Keeps the timer in a list, because the timer's callback owns the check: a timer inside the check would be a
// reference cycle.
void PasswordQueue::hold(Shared check) {
  const int64_t delay_ms = check->request.delay_ms;
  held_.emplace_back(*host_);
  const auto timer = std::prev(held_.end());
  timer->after_ms(delay_ms, [this, timer, check = std::move(check)]() mutable {
    held_.erase(timer);
    enqueue(std::move(check));
  });
}

void PasswordQueue::enqueue(Shared check) {
  const std::string& address = check->request.address;
  AddressQueue& queue = queues_[address];
  if (queue.ready.empty()) turns_.push_back(address);
  queue.ready.push_back(std::move(check));
  run_waiting();
}

PasswordQueue::Shared PasswordQueue::pop_next() {
  const std::string address = std::move(turns_.front());
  turns_.pop_front();
  const auto place = queues_.find(address);
  AddressQueue& queue = place->second;
  Shared check = std::move(queue.ready.front());
  queue.ready.pop_front();
  --queue.waiting;
  --waiting_;
  if (!queue.ready.empty()) turns_.push_back(address);
  if (queue.waiting == 0) queues_.erase(place);
  return check;
}

void PasswordQueue::run_waiting() {
  while (running_ < kMaxPasswordChecks && !turns_.empty()) {
    const Shared check = pop_next();
    if (!check->request.still_wanted()) {
      check->done({Code::cancelled, "no longer wanted"});
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
                       const bool matches = run_on_worker(check->request);
                       post(*host, kMainStrand, [finish, matches]() mutable { finish(matches); });
                     })
      .ok();
}

}  // namespace patchbay::identity
