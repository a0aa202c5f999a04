#include "plugins/file_parts.h"

#include <fcntl.h>
#include <patchbay/descriptor.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace patchbay::core {

struct FileParts::Impl {
  Descriptor fd;  // none: `whole` has the bytes
  std::string whole;
  uint64_t size = 0;
  std::mutex mutex;
  std::map<std::pair<uint64_t, uint64_t>, std::string> parts;  // by offset and size; guarded by mutex
  uint64_t kept = 0;                                           // bytes of all parts; guarded by mutex
};

FileParts::FileParts(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FileParts::FileParts(FileParts&&) noexcept = default;
FileParts& FileParts::operator=(FileParts&&) noexcept = default;
FileParts::~FileParts() = default;

FileParts::FileParts(std::string whole) : impl_(std::make_unique<Impl>()) {
  whole.shrink_to_fit();
  impl_->whole = std::move(whole);
  impl_->size = impl_->whole.size();
}

Result<FileParts> FileParts::open(const std::filesystem::path& path) {
  auto impl = std::make_unique<Impl>();
  struct stat seen {};
  impl->fd = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!impl->fd || ::fstat(impl->fd.get(), &seen) != 0)
    return {Code::not_found, std::string("cannot be read: ") + std::strerror(errno)};
  if (!S_ISREG(seen.st_mode)) return {Code::not_found, "cannot be read: it is not a file"};
  impl->size = static_cast<uint64_t>(seen.st_size);
  return FileParts(std::move(impl));
}

uint64_t FileParts::size() const noexcept { return impl_->size; }

std::string_view FileParts::at(uint64_t offset, uint64_t size) const {
  if (offset > impl_->size || size > impl_->size - offset || size == 0) return {};
  if (!impl_->fd) return std::string_view(impl_->whole).substr(offset, size);
  const std::lock_guard lock(impl_->mutex);
  if (const auto known = impl_->parts.find({offset, size}); known != impl_->parts.end()) return known->second;
  // Parts of a sound file hardly overlap; those of a hostile one could take any amount of memory.
  if (impl_->kept + size > 2 * impl_->size) return {};
  std::string bytes(size, '\0');
  for (uint64_t done = 0; done < size;) {
    const ssize_t got =
        ::pread(impl_->fd.get(), bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};  // the file has become shorter
    done += static_cast<uint64_t>(got);
  }
  impl_->kept += size;
  return impl_->parts.emplace(std::pair(offset, size), std::move(bytes)).first->second;
}

}  // namespace patchbay::core
