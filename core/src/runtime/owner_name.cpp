#include "runtime/owner_name.h"

#include <mutex>
#include <set>
#include <string>

namespace patchbay::core {

const char* interned_name(std::string_view name) {
  static auto* const mutex = new std::mutex;  // neither is ever freed, like the names
  static auto* const names = new std::set<std::string, std::less<>>;
  const std::lock_guard lock(*mutex);
  const auto at = names->find(name);
  return (at != names->end() ? at : names->emplace(name).first)->c_str();
}

}  // namespace patchbay::core
