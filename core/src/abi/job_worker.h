// JobWorker: claims due jobs of one kind for one worker function, up to its concurrency.
#pragma once

#include <patchbay/abi/store.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/registration.h"
#include "runtime/registration_timer.h"
#include "store/job.h"

namespace patchbay::core {

class Runtime;
class Store;

struct JobWorkerInit {
  std::string kind;
  uint32_t concurrency = 1;
  int64_t lease_ms = 60000;
  pb_job_fn fn = nullptr;
  void* user = nullptr;
};

// Its state belongs to its strand, except where noted.
class JobWorker final : public Registration {
 public:
  JobWorker(Runtime& runtime, Store& store, Ref<Strand> strand, JobWorkerInit init);

  const std::string& kind() const noexcept { return init_.kind; }
  // [any] Claims due jobs. Call it when a job may be due now.
  void check_due();
  // [any] A job was added that is due then: claims it now, or sets the alarm, unless that is set for earlier.
  void job_added(int64_t due_ms);
  // [any] Call before close(): cancels the timer.
  void cancel_timer();
  // [any] The claims of these jobs have ended. Only takes a lock if this worker has claimed none of them.
  void claims_ended(const std::vector<int64_t>& jobs);

 private:
  ~JobWorker() override = default;

  void claim();
  void claimed(Result<std::vector<Job>> jobs);
  void sleep_until(int64_t due_ms);
  struct Held {
    size_t count;
    int64_t first_end_ms;  // of the first lease that ends; the maximum for none
  };
  // Forgets the claims whose lease has ended.
  Held count_held();

  // borrowed
  Runtime& runtime_;
  Store& store_;
  // owned
  const JobWorkerInit init_;
  // state
  std::mutex held_mutex_;
  std::map<int64_t, int64_t> held_;  // job -> end of the lease, wall ms; guarded by held_mutex_
  bool claiming_ = false;
  bool again_ = false;  // check_due() came while claiming
  RegistrationTimer alarm_;
  // Read by any thread; 0: the alarm is not set, or what is due is being read.
  std::atomic<int64_t> alarm_due_ms_{0};
};

}  // namespace patchbay::core
