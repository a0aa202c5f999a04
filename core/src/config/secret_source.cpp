#include "config/secret_source.h"

#include <fcntl.h>
#include <patchbay/descriptor.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "config/limits.h"

namespace patchbay::core::config {

Result<std::string> SecretSource::read_file(const std::string& path, std::string& warning) const {
  // Non-blocking, because opening a pipe without a writer would block the start.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0)
    return {Code::not_found, "names the file " + path + ", which cannot be read: " + std::strerror(errno)};
  if (!S_ISREG(info.st_mode)) return {Code::invalid, "names " + path + ", which is not a file"};
  if (info.st_size > static_cast<off_t>(kMaxSecretBytes))
    return {Code::invalid, "names the file " + path + ", which is longer than 64 KiB"};
  if (info.st_mode & S_IROTH) warning = "is in " + path + ", which all users may read";

  std::string text(static_cast<size_t>(info.st_size), '\0');
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size < 0)
    return {Code::failed, "names the file " + path + ", which cannot be read: " + std::strerror(errno)};
  text.resize(static_cast<size_t>(size));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.empty()) return {Code::invalid, "names the file " + path + ", which is empty"};
  return text;
}

Result<std::string> SecretSource::resolve(const json::Node& node, std::string& warning) const {
  if (node.is(json::Type::string)) return std::string(node.string());
  if (node.is(json::Type::object) && node.size() == 1) {
    const json::Member& only = *node.member(0);
    if (only.key == "file" && only.value.is(json::Type::string))
      return read_file(complete_(only.value.string()), warning);
    if (only.key == "env" && only.value.is(json::Type::string)) {
      const auto found = environment_.find(std::string(only.value.string()));
      if (found != environment_.end() && !found->second.empty()) return found->second;
      return {Code::not_found,
              "names the environment variable " + std::string(only.value.string()) + ", which is not set"};
    }
  }
  return {Code::invalid, "must be a string, {file: PATH} or {env: NAME}"};
}

}  // namespace patchbay::core::config
