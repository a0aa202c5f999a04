// ConfigWatch: notices that the configuration file was changed, also when it was replaced, or is a link whose
// target was. Sends SIGIO to the process, which must have blocked it (StopSignals), so no thread waits for
// it. One thread.
#pragma once

#include <patchbay/descriptor.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace patchbay::app {

class ConfigWatch {
 public:
  // Watches nothing if the file's folder cannot be watched; error() then says why.
  explicit ConfigWatch(std::string file);
  const std::string& error() const noexcept { return error_; }

  // Waits until the folder was not changed for `quiet`, at most `limit`, because an editor may write in
  // several steps. Returns whether the file is another one than at the last call, or at the construction.
  bool take_change(std::chrono::milliseconds quiet = std::chrono::milliseconds(200),
                   std::chrono::milliseconds limit = std::chrono::seconds(2));
  // The file is about to be read anyway: changes so far are no news.
  void forget_change();

 private:
  struct State {
    uint64_t device = 0, inode = 0, size = 0;
    int64_t changed_ns = 0;
    bool operator==(const State& other) const noexcept {
      return device == other.device && inode == other.inode && size == other.size &&
             changed_ns == other.changed_ns;
    }
  };
  State read_state() const;
  void discard_notices() const;

  const std::string file_;
  const Descriptor notices_;
  std::string error_;
  State last_;
};

}  // namespace patchbay::app
