#include "bench/instructions/recorded.h"

#include <gnu/libc-version.h>
#include <openssl/crypto.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif

namespace patchbay::bench {
namespace {

// Those that code of ours or of a library asks for, and that valgrind can run.
std::string processor_features() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  std::string all = "x86-64";
  if (__builtin_cpu_supports("sse4.2")) all += " sse4.2";
  if (__builtin_cpu_supports("aes")) all += " aes";
  if (__builtin_cpu_supports("avx")) all += " avx";
  if (__builtin_cpu_supports("bmi2")) all += " bmi2";
  if (__builtin_cpu_supports("fma")) all += " fma";
  if (__builtin_cpu_supports("avx2")) all += " avx2";
  return all;
#elif defined(__aarch64__)
  return "arm64";
#else
  return "unknown";
#endif
}

}  // namespace

std::map<std::string, std::string> this_environment() {
  std::map<std::string, std::string> all;
  all["compiler"] = __VERSION__;
  all["flags"] = BENCH_FLAGS;
  all["libc"] = gnu_get_libc_version();
  all["openssl"] = OpenSSL_version(OPENSSL_VERSION);
  all["processor"] = processor_features();
#ifdef __VALGRIND_MAJOR__
  all["valgrind"] = std::to_string(__VALGRIND_MAJOR__) + "." + std::to_string(__VALGRIND_MINOR__);
#endif
  return all;
}

Recorded read_recorded(const std::string& path) {
  Recorded out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos || line[0] == '#') continue;
    const std::string name = line.substr(0, colon), value = line.substr(colon + 2);
    const bool is_count = value.find_first_not_of("0123456789") == std::string::npos;
    if (is_count)
      out.instructions[name] = std::stod(value);
    else
      out.made_with[name] = value;
  }
  return out;
}

bool write_recorded(const std::string& path, const Recorded& recorded) {
  std::ofstream file(path);
  file << "# Instructions in user space, counted by callgrind: bench-instructions --record writes this "
          "file.\n";
  for (const auto& [name, value] : recorded.made_with) file << name << ": " << value << "\n";
  for (const auto& [name, value] : recorded.instructions) file << name << ": " << std::llround(value) << "\n";
  return bool(file.flush());
}

bool compare(const Recorded& recorded, const Instructions& now) {
  for (const auto& [name, value] : this_environment()) {
    const auto before = recorded.made_with.find(name);
    if (before != recorded.made_with.end() && before->second != value)
      std::printf("%s: recorded with %s, now %s, so the counts may differ\n", name.c_str(),
                  before->second.c_str(), value.c_str());
  }
  bool kept = true;
  std::printf("%-28s %14s %14s %9s\n", "instructions per unit", "recorded", "now", "change");
  for (const auto& [name, count] : now) {
    const auto before = recorded.instructions.find(name);
    if (before == recorded.instructions.end()) {
      std::printf("%-28s %14s %14.0f\n", name.c_str(), "", count);
      kept = false;
      continue;
    }
    const double change = count / before->second - 1;
    const bool beyond = std::abs(change) > kMaxChange;
    std::printf("%-28s %14.0f %14.0f %+8.2f%%%s\n", name.c_str(), before->second, count, change * 100,
                !beyond      ? ""
                : change > 0 ? "  slower: beyond the limit"
                             : "  faster: record it");
    kept = kept && !beyond;
  }
  return kept;
}

}  // namespace patchbay::bench
