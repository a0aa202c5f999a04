#include "owner/owner.h"

#include <patchbay/json.h>
#include <patchbay/store.h>

#include <cstring>

#include "crypto/random.h"

namespace patchbay::lib {

Result<Owner> Owner::read(const Host& host) {
  PB_TRY_VALUE(const std::string bytes, random_bytes(sizeof(uint64_t)));
  uint64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  Owner owner;
  owner.run = static_cast<int64_t>(number >> 1U) | 1;
  PB_TRY_VALUE(const auto report, host.parse_json(host.report("node")));
  const JsonView node = report.root();
  owner.node = node.text("node", "");
  owner.epoch = node.integer("epoch", 0);
  owner.is_shared = node["shared"].boolean(false);
  return owner;
}

}  // namespace patchbay::lib
