#include "store/node_name.h"

#include <openssl/rand.h>
#include <patchbay/hex.h>
#include <patchbay/text.h>

#include <fstream>

namespace patchbay::core {

Result<std::string> node_name(const std::filesystem::path& file) {
  constexpr size_t kNameOctets = 8;
  std::string name;
  if (std::ifstream in(file); std::getline(in, name)) {
    name = trim(name);
    if (!name.empty()) return name;
  }
  unsigned char random[kNameOctets];
  if (RAND_bytes(random, sizeof random) != 1) return {Code::failed, "no random numbers for the node's name"};
  name = "node-" + to_hex({reinterpret_cast<const char*>(random), sizeof random});
  std::ofstream out(file, std::ios::trunc);
  out << name << '\n';
  if (!out.flush()) return {Code::unavailable, "cannot write " + file.string()};
  return name;
}

}  // namespace patchbay::core
