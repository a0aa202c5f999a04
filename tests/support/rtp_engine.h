// rtpengine, the media relay of a carrier's border, in user space. A proxy controls it (Kamailio::Options).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "support/child_process.h"

namespace patchbay::test {

class RtpEngine {
 public:
  // Ready when this returns. `ports`: how many it may use at most, from an even one on.
  static Result<RtpEngine> start(int ports = 100);

  uint16_t control_port() const { return control_port_; }
  // Whether it is one of the ports of 127.0.0.1 at which it relays audio.
  bool has_port(int port) const { return port >= first_port_ && port < first_port_ + ports_; }
  pid_t pid() const { return child_.pid(); }
  std::string output() const;

 private:
  static Result<RtpEngine> try_start(int ports);
  RtpEngine(std::unique_ptr<TempFolder> folder, Child child, uint16_t control_port, int first_port, int ports)
      : folder_(std::move(folder)),
        child_(std::move(child)),
        control_port_(control_port),
        first_port_(first_port),
        ports_(ports) {}

  std::unique_ptr<TempFolder> folder_;
  Child child_;
  uint16_t control_port_;
  int first_port_, ports_;
};

}  // namespace patchbay::test
