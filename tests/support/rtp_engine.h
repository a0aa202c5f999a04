// rtpengine, the media relay of a carrier's border, in user space. A proxy controls it (Kamailio::Options).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "support/child_process.h"

namespace patchbay::test {

class RtpEngine {
 public:
  // Ready when this returns.
  static Result<RtpEngine> start();

  uint16_t control_port() const { return control_port_; }
  // Whether it is one of the ports of 127.0.0.1 at which it relays audio.
  bool has_port(int port) const { return port >= first_port_ && port < first_port_ + kPorts; }
  std::string output() const;

 private:
  static constexpr int kPorts = 100;
  static Result<RtpEngine> try_start();
  RtpEngine(std::unique_ptr<TempFolder> folder, Child child, uint16_t control_port, uint16_t first_port)
      : folder_(std::move(folder)),
        child_(std::move(child)),
        control_port_(control_port),
        first_port_(first_port) {}

  std::unique_ptr<TempFolder> folder_;
  Child child_;
  uint16_t control_port_;
  uint16_t first_port_;
};

}  // namespace patchbay::test
