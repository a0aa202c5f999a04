#include <fcntl.h>
#include <patchbay/descriptor.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "isolation/confine.h"
#include "isolation/isolation_support.h"
#include "plugins/elf_file.h"

namespace patchbay::core::isolation {
namespace {

namespace fs = std::filesystem;

// From <linux/landlock.h>, of which Debian 12 has an older version.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr uint32_t kPathBeneath = 1;
constexpr uint64_t kExecute = 1 << 0, kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3;
constexpr uint64_t kVersion1 = (1 << 13) - 1, kRefer = 1 << 13, kTruncate = 1 << 14, kIoctlDevice = 1 << 15;
constexpr uint64_t kScopeAbstractSockets = 1 << 0, kScopeSignals = 1 << 1;
struct RulesetAttributes {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scopes = 0;
};
struct [[gnu::packed]] PathBeneath {
  uint64_t allowed;
  int32_t parent;
};

constexpr uint64_t kRead = kReadFile | kReadFolder;
constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDevice;

// Where programs and libraries are, and what they read: names, certificates, time, the processor. A single
// file that is replaced later is out of reach from then on; files in these folders stay in reach.
constexpr const char* kPrograms[] = {"/usr", "/lib", "/lib64", "/bin"};
constexpr const char* kReadable[] = {"/etc/resolv.conf",
                                     "/run/systemd/resolve",
                                     "/etc/hosts",
                                     "/etc/nsswitch.conf",
                                     "/etc/host.conf",
                                     "/etc/gai.conf",
                                     "/etc/services",
                                     "/etc/protocols",
                                     "/etc/passwd",
                                     "/etc/group",
                                     "/etc/ld.so.cache",
                                     "/etc/ld.so.conf",
                                     "/etc/ld.so.conf.d",
                                     "/etc/localtime",
                                     "/etc/timezone",
                                     "/etc/ssl/certs",
                                     "/etc/ssl/openssl.cnf",
                                     "/etc/ca-certificates",
                                     "/etc/pki",
                                     "/etc/alternatives",
                                     "/etc/mime.types",
                                     "/proc/self",
                                     "/proc/cpuinfo",
                                     "/proc/meminfo",
                                     "/proc/stat",
                                     "/proc/loadavg",
                                     "/proc/uptime",
                                     "/proc/version",
                                     "/proc/filesystems",
                                     "/proc/sys",
                                     "/sys/devices/system",
                                     "/sys/fs/cgroup"};
constexpr const char* kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};

uint64_t known_to(int version) {
  return kVersion1 | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0) |
         (version >= 5 ? kIoctlDevice : 0);
}

class Ruleset {
 public:
  explicit Ruleset(int version) : known_(known_to(version)) {
    RulesetAttributes attributes;
    attributes.files = known_;
    if (version >= 6) attributes.scopes = kScopeAbstractSockets | kScopeSignals;
    const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    file_ = Descriptor(static_cast<int>(::syscall(kCreateRuleset, &attributes, size, 0)));
  }
  explicit operator bool() const noexcept { return static_cast<bool>(file_); }

  // Ignores a path that does not exist or cannot be reached anyway. False: no rule could be made for it.
  bool allow(const std::string& path, uint64_t what) const {
    const Descriptor there(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!there) return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
    struct stat kind {};
    if (::fstat(there.get(), &kind) != 0) return false;
    if (!S_ISDIR(kind.st_mode)) what &= kOfFiles;
    const PathBeneath rule{what & known_, there.get()};
    return ::syscall(kAddRule, file_.get(), kPathBeneath, &rule, 0) == 0;
  }
  bool enforce() const { return ::syscall(kRestrictSelf, file_.get(), 0) == 0; }

 private:
  const uint64_t known_;
  Descriptor file_;
};

// The folders that the plugin's run path and LD_LIBRARY_PATH name.
std::vector<std::string> library_folders(const std::string& plugin_file) {
  std::vector<std::string> folders;
  const auto add = [&](const char* list, const std::string& origin) {
    std::istringstream parts(list);
    for (std::string part; std::getline(parts, part, ':');) {
      for (const std::string variable : {"${ORIGIN}", "$ORIGIN"}) {
        const size_t at = part.find(variable);
        if (at != std::string::npos) part.replace(at, variable.size(), origin);
      }
      if (!part.empty()) folders.push_back(part);
    }
  };
  if (const char* everywhere = std::getenv("LD_LIBRARY_PATH")) add(everywhere, ".");
  const auto elf = ElfFile::read(plugin_file);
  if (elf) add(elf->run_path().c_str(), fs::path(plugin_file).parent_path().string());
  return folders;
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  const fs::path from = path.lexically_relative(folder);
  return !from.empty() && *from.begin() != "..";
}

// The path to allow for a configured file. If the file does not exist yet, its folder, where it will be
// created; "" if that folder holds the server's own data.
std::string reachable(const std::string& path, const fs::path& data_of_all) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  if (fs::exists(whole, error)) return path;
  const fs::path folder = whole.parent_path();
  return is_inside(data_of_all, folder) || is_inside(folder, data_of_all) ? std::string() : folder.string();
}

}  // namespace

Status confine_files(const AllowedPaths& allowed) {
  const int version = landlock_version();
  if (version == 0) return {};
  const Ruleset rules(version);
  const auto failed = [](const std::string& what) -> Status {
    return {Code::failed, "it could not be confined: " + what + ": " + std::strerror(errno)};
  };
  if (!rules) return failed("Landlock");
  const auto allow = [&](const std::string& path, uint64_t what) -> Status {
    return rules.allow(path, what) ? Status() : failed(path);
  };
  constexpr uint64_t kAll = ~uint64_t{0};
  std::error_code error;
  const fs::path data_of_all = fs::weakly_canonical(fs::path(allowed.data_folder).parent_path(), error);
  for (const char* path : kPrograms) {
    if (is_inside(data_of_all, path))
      return {Code::invalid,
              "it could not be confined: the server's data lies among its programs; set server.data to "
              "a folder that is not in " +
                  std::string(path)};
  }
  for (const char* path : kPrograms) PB_TRY(allow(path, kRead | kExecute));
  for (const char* path : kReadable) PB_TRY(allow(path, kRead));
  for (const char* path : kDevices) PB_TRY(allow(path, kReadFile | kWriteFile | kIoctlDevice));
  PB_TRY(allow(allowed.plugin_file, kReadFile | kExecute));
  for (const std::string& path : library_folders(allowed.plugin_file)) PB_TRY(allow(path, kRead | kExecute));
  PB_TRY(allow(allowed.data_folder, kAll & ~kExecute));
  for (const std::string& each : allowed.paths) {
    const std::string path = reachable(each, data_of_all);
    if (!path.empty()) PB_TRY(allow(path, kAll & ~kExecute));
  }
  return rules.enforce() ? Status() : failed("Landlock");
}

}  // namespace patchbay::core::isolation
