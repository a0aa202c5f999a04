// Round: runs steps one after the other on the main strand, up to the first that fails.
#pragma once

#include <patchbay/function.h>
#include <patchbay/plugin.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace reference {

using patchbay::Code;
using patchbay::Done;
using patchbay::Function;
using patchbay::Host;
using patchbay::Status;

// Called once by each step, with its result.
using Next = Function<void(Status)>;

// A step of the round. Destroyed in the plugin's stop.
class Step {
 public:
  Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  virtual ~Step() = default;
  virtual void run(Next next) = 0;
};

// The error of a failed expectation.
inline Status expect(bool holds, const char* what) {
  if (holds) return {};
  return {Code::failed, std::string("not so: ") + what};
}
#define REFERENCE_EXPECT(condition) PB_TRY(::reference::expect(condition, #condition))

class Round {
 public:
  explicit Round(const Host& host) : host_(host) {}
  void add(std::unique_ptr<Step> step) { steps_.push_back(std::move(step)); }
  void run(Done done) {
    done_ = std::make_unique<Done>(std::move(done));
    go_on();
  }

 private:
  void go_on() {
    if (at_ == steps_.size()) return finish({});
    steps_[at_]->run([this](Status status) {
      if (!status) return finish(std::move(status));
      ++at_;
      // Posted, because the step may still be inside its callbacks.
      patchbay::post(host_, patchbay::kMainStrand, [this] { go_on(); });
    });
  }
  void finish(Status status) {
    if (done_) (*done_)(status);
    done_.reset();
  }

  const Host& host_;
  std::vector<std::unique_ptr<Step>> steps_;
  size_t at_ = 0;
  std::unique_ptr<Done> done_;
};

}  // namespace reference
