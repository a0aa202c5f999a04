// The log: one line per event, as text or JSON. Thread-safe; never throws. A separate thread writes the
// lines, so that the threads that log never wait for the disk or for a reader.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "observe/limits.h"
#include "observe/line_writer.h"
#include "observe/redactor.h"
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

// Borrowed for the call. Every text may come from a peer.
struct Event {
  Level level = Level::info;
  std::string_view component;    // a plugin's name, or core
  std::string_view correlation;  // the same for all steps of one call; may be empty
  std::string_view text;
  const Field* fields = nullptr;
  size_t count = 0;
};

// Formats an event as a line, without the newline. Cuts texts at kMaxText bytes and values at kMaxValue;
// leaves out fields beyond kMaxFields.
std::string format_event(const Event& event, Format format, std::chrono::system_clock::time_point when,
                         const Redactor& redactor);

class Log {
 public:
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

  // Called on reload.
  void set_level(Level level) noexcept { level_ = level; }
  void set_format(Format format) noexcept { format_ = format; }
  // Reopens the file after log rotation has moved it. On failure the log keeps writing to the old file.
  Status reopen();

  Redactor& redactor() noexcept { return redactor_; }
  // Waits until the events written so far are passed to the file, at most a second.
  void flush() noexcept;
  uint64_t dropped() const noexcept;  // lines lost

 private:
  Log(const Options& options, int fd);
  std::string dropped_line(uint64_t count) const;

  const std::string file_;
  Redactor redactor_;
  std::atomic<Level> level_;
  std::atomic<Format> format_;
  std::atomic<uint64_t> failed_{0};
  std::unique_ptr<LineWriter> writer_;  // last, because its thread uses the others
};

}  // namespace patchbay::core::observe
