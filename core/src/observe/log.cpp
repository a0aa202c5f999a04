#include "observe/log.h"

#include <fcntl.h>
#include <spdlog/logger.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "observe/descriptor_sink.h"

namespace patchbay::core::observe {
namespace {

constexpr mode_t kFileMode = 0640;

int open_file(const std::string& file) {
  return ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, kFileMode);
}

Error cannot_open(const std::string& file) {
  return {Code::failed, "the log file " + file + " cannot be opened: " + std::strerror(errno)};
}

spdlog::level::level_enum to_spdlog(Level level) noexcept {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                   spdlog::level::warn, spdlog::level::err};
  return kLevels[static_cast<size_t>(level)];
}

}  // namespace

class Log::Output {
 public:
  Output(std::string name, int fd, bool owned)
      : file(std::move(name)),
        sink(std::make_shared<DescriptorSink>(fd, owned, kLongestWait)),
        logger("patchbay", sink) {
    logger.set_level(spdlog::level::trace);  // Log has decided already
    logger.set_error_handler([this](const std::string&) { ++failed; });
  }

  std::string file;
  std::shared_ptr<DescriptorSink> sink;  // shared because spdlog keeps its sinks so
  spdlog::logger logger;
  std::atomic<uint64_t> failed{0};
};

Log::Log(const Options& options, std::unique_ptr<Output> output)
    : output_(std::move(output)), level_(options.level), format_(options.format) {}

Log::~Log() = default;

Result<std::unique_ptr<Log>> Log::open(const Options& options) {
  const bool to_file = !options.file.empty();
  const int fd = to_file ? open_file(options.file) : STDERR_FILENO;
  if (fd < 0) return cannot_open(options.file);
  return std::unique_ptr<Log>(new Log(options, std::make_unique<Output>(options.file, fd, to_file)));
}

Status Log::reopen() {
  if (output_->file.empty()) return {};
  const int fd = open_file(output_->file);
  if (fd < 0) return cannot_open(output_->file);
  output_->sink->replace(fd);
  return {};
}

void Log::write(const Event& event) noexcept {
  if (!enabled(event.level)) return;
  try {
    const std::string line = format_event(event, format_, std::chrono::system_clock::now(), redactor_);
    output_->logger.log(to_spdlog(event.level), spdlog::string_view_t(line.data(), line.size()));
  } catch (...) {
    ++output_->failed;
  }
}

uint64_t Log::dropped() const noexcept { return output_->failed + output_->sink->dropped(); }

}  // namespace patchbay::core::observe
