// SIPp as the far end of a call: one scenario, as many calls as wanted, on a port of its own.
#pragma once

#include <map>
#include <memory>

#include "support/child.h"

namespace patchbay::test {

class Sipp {
 public:
  struct Options {
    std::string scenario;  // path of the XML file
    bool tcp = false;
    int calls = 1;
    bool rtp_echo = false;                      // sends back what it hears
    int limit_sec = 60;                         // for the whole scenario
    std::map<std::string, std::string> values;  // what stands for {{name}} in the scenario
  };

  // Waiting for its call when it returns.
  static Result<Sipp> start(const Options& options);

  uint16_t port() const { return port_; }
  // 0 when the scenario ran to its end as written. Waits for the limit.
  int result();
  // All messages so far, for a failing test to show.
  std::string messages() const;

 private:
  static Result<Sipp> try_start(const Options& options);
  Sipp(std::unique_ptr<TempFolder> folder, Child child, uint16_t port, std::chrono::seconds limit)
      : folder_(std::move(folder)), child_(std::move(child)), port_(port), limit_(limit) {}

  std::unique_ptr<TempFolder> folder_;
  Child child_;
  uint16_t port_;
  std::chrono::seconds limit_;
};

}  // namespace patchbay::test
