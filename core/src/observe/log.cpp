#include "observe/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "observe/line_writer.h"

namespace patchbay::core::observe {
namespace {

constexpr mode_t kFileMode = 0640;

int open_file(const std::string& file) {
  return ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, kFileMode);
}

Error cannot_open(const std::string& file) {
  return {Code::failed, "the log file " + file + " cannot be opened: " + std::strerror(errno)};
}

}  // namespace

// writer_ is the last member, so its thread ends before the members that format its announcements.
Log::Log(const Options& options, int fd)
    : file_(options.file), level_(options.level), format_(options.format) {
  writer_ = std::make_unique<LineWriter>(fd, !file_.empty(),
                                         [this](uint64_t count) { return dropped_line(count); });
}

Log::~Log() = default;

Result<std::unique_ptr<Log>> Log::open(const Options& options) {
  const bool to_file = !options.file.empty();
  const int fd = to_file ? open_file(options.file) : STDERR_FILENO;
  if (fd < 0) return cannot_open(options.file);
  return std::unique_ptr<Log>(new Log(options, fd));
}

Status Log::reopen() {
  if (file_.empty()) return {};
  const int fd = open_file(file_);
  if (fd < 0) return cannot_open(file_);
  writer_->replace(fd);
  return {};
}

// Formats here rather than on the writer's thread, because the caller may remove secrets from the redactor as
// soon as this returns.
void Log::write(const Event& event) noexcept {
  if (!enabled(event.level)) return;
  try {
    writer_->push(format_event(event, format_, std::chrono::system_clock::now(), redactor_),
                  event.level >= Level::warn);
  } catch (...) {
    ++failed_;
  }
}

std::string Log::dropped_line(uint64_t count) const {
  const std::string number = std::to_string(count);
  const Field fields[] = {{"count", number}};
  return format_event({Level::warn, "core", "",
                       "log lines were dropped: they came faster than they could be written", fields, 1},
                      format_, std::chrono::system_clock::now(), redactor_);
}

void Log::flush() noexcept { writer_->flush(); }

uint64_t Log::dropped() const noexcept { return failed_ + writer_->dropped(); }

}  // namespace patchbay::core::observe
