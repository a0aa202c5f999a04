#include "plugin_inspect/library_search.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "plugins/elf_file.h"

namespace patchbay::app {
namespace {

using core::ElfFile;
namespace fs = std::filesystem;

constexpr char kCacheFile[] = "/etc/ld.so.cache";
constexpr char kCacheMagic[] = "glibc-ld.so.cache1.1";  // then: entries, bytes of strings, 20 bytes unused
constexpr size_t kCacheHead = 48;
constexpr size_t kCacheEntry = 24;  // flags, key, value (offsets of strings), os version, hwcap
constexpr size_t kMaxLibraries = 400;
#if defined(__x86_64__)
constexpr uint32_t kCacheFlags = 0x0303;
constexpr const char* kUsual[] = {
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
#else
constexpr uint32_t kCacheFlags = 0x0a03;
constexpr const char* kUsual[] = {
    "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
#endif

uint32_t number_at(std::string_view bytes, size_t offset) {
  uint32_t value = 0;
  if (offset + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string text_at(std::string_view bytes, size_t offset) {
  if (offset >= bytes.size()) return {};
  const auto rest = bytes.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

std::vector<std::string> folders(const std::string& list, const std::string& origin) {
  std::vector<std::string> all;
  for (size_t from = 0; from <= list.size();) {
    const size_t end = std::min(list.find(':', from), list.size());
    std::string folder = list.substr(from, end - from);
    for (const std::string variable : {"${ORIGIN}", "$ORIGIN"}) {
      const size_t at = folder.find(variable);
      if (at != std::string::npos) folder.replace(at, variable.size(), origin);
    }
    if (!folder.empty()) all.push_back(std::move(folder));
    from = end + 1;
  }
  return all;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

}  // namespace

LibrarySearch::LibrarySearch() {
  const char* set = std::getenv("LD_LIBRARY_PATH");
  if (set != nullptr) first_ = folders(set, "");
  std::ifstream in(kCacheFile, std::ios::binary);
  const std::string cache{std::istreambuf_iterator<char>(in), {}};
  read_cache(cache);
}

void LibrarySearch::read_cache(std::string_view cache) {
  // The file may begin with a cache of the old format.
  const size_t begin = cache.find(kCacheMagic);
  if (begin == std::string_view::npos) return;
  cache.remove_prefix(begin);
  const uint64_t count = number_at(cache, sizeof kCacheMagic - 1);
  for (uint64_t i = 0; i < count && kCacheHead + (i + 1) * kCacheEntry <= cache.size(); ++i) {
    const size_t at = kCacheHead + i * kCacheEntry;
    if (number_at(cache, at) != kCacheFlags) continue;
    cache_.emplace(text_at(cache, number_at(cache, at + 4)), text_at(cache, number_at(cache, at + 8)));
  }
}

std::optional<fs::path> LibrarySearch::find(const std::string& library, const std::string& run_path,
                                            const fs::path& needed_by) const {
  if (library.find('/') != std::string::npos)
    return is_file(library) ? std::optional<fs::path>(library) : std::nullopt;
  for (const std::string& folder : first_)
    if (is_file(fs::path(folder) / library)) return fs::path(folder) / library;
  for (const std::string& folder : folders(run_path, fs::absolute(needed_by).parent_path().string()))
    if (is_file(fs::path(folder) / library)) return fs::path(folder) / library;
  const auto cached = cache_.find(library);
  if (cached != cache_.end() && is_file(cached->second)) return cached->second;
  for (const char* folder : kUsual)
    if (is_file(fs::path(folder) / library)) return fs::path(folder) / library;
  return std::nullopt;
}

std::vector<std::string> unresolved_symbols(const LibrarySearch& search, const fs::path& object) {
  const auto root = ElfFile::read(object);
  if (!root) return {};
  std::set<std::string> wanted;
  for (const auto& symbol : root->undefined()) wanted.emplace(symbol.name);
  std::set<std::string> seen;
  std::deque<fs::path> waiting{"/proc/self/exe", object};
  while (!waiting.empty() && !wanted.empty() && seen.size() < kMaxLibraries) {
    const fs::path path = std::move(waiting.front());
    waiting.pop_front();
    const auto file = ElfFile::read(path);
    if (!file) continue;
    for (const auto& symbol : file->exported()) wanted.erase(std::string(symbol.name));
    for (const std::string& library : file->needed()) {
      if (!seen.insert(library).second) continue;
      if (auto found = search.find(library, file->run_path(), path)) waiting.push_back(*std::move(found));
    }
  }
  return {wanted.begin(), wanted.end()};
}

}  // namespace patchbay::app
