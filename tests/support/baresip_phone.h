// Baresip as a telephone: answers automatically, or calls, plays a WAV file as its microphone and records its
// speaker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/child_process.h"

namespace patchbay::test {

class Baresip {
 public:
  struct Options {
    std::string number = "100";  // the user part it answers to
    std::string play_wav{};      // 8 kHz mono, 16 bit; empty: silence
    std::string encryption{};    // its mediaenc: srtp, srtp-mand, dtls_srtp...; empty: none
    std::string codecs = "PCMU/8000/1,PCMA/8000/1";
    std::string dial{};  // a SIP URI that it calls at once; empty: none
    // Registers as `number` of this domain, at `registrar` ("127.0.0.1:5070;transport=tcp").
    std::string domain{};
    std::string registrar{};
    std::string password{};
  };

  // Reachable at sip:<number>@127.0.0.1:port() when this returns.
  static Result<Baresip> start(const Options& options);

  uint16_t port() const { return port_; }
  // Stops the program, so that the recording is complete, and returns its samples (mono, at the codec's
  // rate).
  std::vector<int16_t> heard();
  // The number of samples that it has recorded so far.
  size_t heard_samples() const;
  std::string output() const;

 private:
  static Result<Baresip> try_start(const Options& options);
  std::string recording() const;
  Baresip(std::unique_ptr<TempFolder> folder, Child child, uint16_t port)
      : folder_(std::move(folder)), child_(std::move(child)), port_(port) {}

  std::unique_ptr<TempFolder> folder_;
  Child child_;
  uint16_t port_;
};

// A WAV file of 16-bit mono samples.
Status write_wav(const std::string& path, const std::vector<int16_t>& samples, uint32_t rate_hz);
std::vector<int16_t> read_wav(const std::string& path);

}  // namespace patchbay::test
