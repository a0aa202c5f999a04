#include "archive.h"

#include <fcntl.h>
#include <patchbay/descriptor.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "transcript_limits.h"

namespace patchbay::transcripts {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTemporary = ".part";

Descriptor open_file(const fs::path& path, int flags, mode_t mode = 0) {
  return Descriptor(::open(path.c_str(), flags, mode));
}

Error file_error(const char* what) {
  const int number = errno;
  return {Code::unavailable, std::string(what) + ": " + std::generic_category().message(number)};
}

Status write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return file_error("cannot write a transcript");
    text.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

Status sync_folder(const fs::path& folder) {
  const Descriptor fd = open_file(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!fd || fsync(fd.get()) != 0) return file_error("cannot sync the folder of transcripts");
  return {};
}

Status write_and_sync(const fs::path& path, std::string_view text) {
  const Descriptor fd = open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (!fd) return file_error("cannot create a transcript's file");
  PB_TRY(write_all(fd.get(), text));
  if (fsync(fd.get()) != 0) return file_error("cannot sync a transcript");
  return {};
}

Status make_folder(const fs::path& folder) {
  std::error_code error;
  if (!fs::create_directory(folder, error)) {
    if (error) return {Code::unavailable, "cannot create a folder for transcripts: " + error.message()};
    return {};
  }
  fs::permissions(folder, fs::perms::owner_all, error);
  return sync_folder(folder.parent_path());
}

}  // namespace

Status Archive::write(std::string_view tenant, std::string_view file, std::string_view text) const {
  static std::atomic<uint64_t> number{0};
  const fs::path folder = folder_ / tenant;
  PB_TRY(make_folder(folder));
  const fs::path temporary =
      folder / (std::string(file) + "." + std::to_string(number.fetch_add(1)) + kTemporary);
  Status status = write_and_sync(temporary, text);
  if (status && std::rename(temporary.c_str(), (folder / file).c_str()) != 0)
    status = file_error("cannot rename a transcript's file");
  if (!status) {
    ::unlink(temporary.c_str());
    return status;
  }
  return sync_folder(folder);
}

Result<std::string> Archive::read(std::string_view tenant, std::string_view file) const {
  const Descriptor fd = open_file(folder_ / tenant / file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (!fd) return file_error("cannot open a transcript");
  std::string text;
  char part[64 << 10];
  while (true) {
    const ssize_t count = ::read(fd.get(), part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error("cannot read a transcript");
    if (count == 0) return text;
    text.append(part, static_cast<size_t>(count));
    if (text.size() > kMaxFileBytes) return {Code::exhausted, "the transcript is too large"};
  }
}

bool Archive::remove(std::string_view tenant, std::string_view file) const {
  return ::unlink((folder_ / tenant / file).c_str()) == 0 || errno == ENOENT;
}

void Archive::remove_temporary() const {
  std::error_code error;
  for (const auto& tenant : fs::directory_iterator(folder_, error)) {
    if (!tenant.is_directory(error)) continue;
    for (const auto& file : fs::directory_iterator(tenant.path(), error)) {
      if (file.path().extension() == kTemporary) ::unlink(file.path().c_str());
    }
  }
}

}  // namespace patchbay::transcripts
