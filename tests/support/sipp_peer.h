// SIPp as the far end of calls: one scenario for any number of calls, on one port.
#pragma once

#include <map>
#include <memory>

#include "support/child_process.h"

namespace patchbay::test {

class Sipp {
 public:
  struct Options {
    std::string scenario;  // path of the XML file
    bool tcp = false;
    int calls = 1;
    bool rtp_echo = false;                      // echoes received audio
    uint16_t target_port = 0;                   // of 127.0.0.1, that a scenario which calls goes to
    int limit_sec = 60;                         // for the whole scenario
    std::map<std::string, std::string> values;  // values for {{name}} in the scenario
  };

  // It accepts calls when this returns.
  static Result<Sipp> start(const Options& options);

  uint16_t port() const { return port_; }
  // Waits for the end, up to the limit. Returns 0 when the scenario succeeded.
  int result();
  // All messages so far, for the output of failing tests.
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
