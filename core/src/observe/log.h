// The log: one event, one line, for people or as JSON. Thread-safe; nothing here throws, and a reader that
// does not read costs a line at most kLongestWait: then it is dropped and counted.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "observe/redact.h"
#include "patchbay/result.h"

namespace patchbay::core::observe {

enum class Level : uint8_t { debug, info, warn, error };  // values are those of PB_LOG_*
enum class Format : uint8_t { text, json };

// Level of "debug", "info", "warn", "error"; info for anything else.
Level level_of(std::string_view name) noexcept;
const char* level_name(Level level) noexcept;

struct Field {
  std::string_view key;
  std::string_view value;
};

// Everything is borrowed for the call, and may have come from a peer.
struct Event {
  Level level = Level::info;
  std::string_view component;    // a plugin's name, or core
  std::string_view correlation;  // ties the steps of one call together; may be empty
  std::string_view text;
  const Field* fields = nullptr;
  size_t count = 0;
};

// The line of an event, without the newline. Longer texts are cut at kLongestText, values at kLongestValue.
constexpr size_t kLongestText = 8 << 10;
constexpr size_t kLongestValue = 2 << 10;
constexpr size_t kMostFields = 64;
std::string format_event(const Event& event, Format format, std::chrono::system_clock::time_point when,
                         const Redactor& redactor);

class Log {
 public:
  static constexpr std::chrono::milliseconds kLongestWait{50};

  struct Options {
    Format format = Format::text;
    Level level = Level::info;
    std::string file = {};  // "": standard error
  };

  static Result<std::unique_ptr<Log>> open(const Options& options);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool enabled(Level level) const noexcept { return level >= level_.load(std::memory_order_relaxed); }
  void write(const Event& event) noexcept;

  // On reload.
  void set_level(Level level) noexcept { level_ = level; }
  void set_format(Format format) noexcept { format_ = format; }
  // Opens the file anew, after somebody has moved it away; on failure the old one stays.
  Status reopen();

  Redactor& redactor() noexcept { return redactor_; }
  uint64_t dropped() const noexcept;  // lines nobody will see

 private:
  class Output;
  Log(const Options& options, std::unique_ptr<Output> output);

  std::unique_ptr<Output> output_;
  Redactor redactor_;
  std::atomic<Level> level_;
  std::atomic<Format> format_;
};

}  // namespace patchbay::core::observe
