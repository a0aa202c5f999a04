// Kamailio as a carrier's proxy: takes SIP over TLS, and relays calls to a next hop over UDP, staying in the
// route of the call.
#pragma once

#include <memory>

#include "support/child_process.h"
#include "support/self_signed_certificate.h"

namespace patchbay::test {

class Kamailio {
 public:
  struct Options {
    support::Certificate certificate;  // its own
    std::string authority_pem{};       // of client certificates; set: every client must show one
    uint16_t next_hop = 0;             // UDP port of 127.0.0.1 that calls go to; 0: it refuses them with 486
    std::string realm{};               // set: INVITE and REGISTER need the credentials below
    std::string username{}, password{};
    std::string algorithm = "MD5";    // or SHA-256
    std::string callee = "100";       // user of calls at the next hop; empty: the one that was called
    uint16_t rtpengine = 0;           // control port of the RtpEngine that the audio goes through; 0: none
    std::string profile = "RTP/AVP";  // of the audio at the next hop, with rtpengine
  };

  // Ready when this returns.
  static Result<Kamailio> start(const Options& options);

  uint16_t tls_port() const { return tls_port_; }
  uint16_t port() const { return port_; }  // UDP and TCP
  std::string output() const;
  void stop() { child_.stop(); }

 private:
  static Result<Kamailio> try_start(const Options& options);
  Kamailio(std::unique_ptr<TempFolder> folder, Child child, uint16_t port, uint16_t tls_port)
      : folder_(std::move(folder)), child_(std::move(child)), port_(port), tls_port_(tls_port) {}

  std::unique_ptr<TempFolder> folder_;
  Child child_;
  uint16_t port_;
  uint16_t tls_port_;
};

}  // namespace patchbay::test
