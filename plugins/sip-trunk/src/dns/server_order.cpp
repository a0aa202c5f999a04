#include "dns/server_order.h"

#include <algorithm>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

Addresses in_order(const Location& location, const std::function<uint32_t(uint32_t)>& random) {
  std::vector<const Server*> left;
  for (const Server& server : location.servers) left.push_back(&server);
  // Weight 0 first, as the algorithm of RFC 2782 asks, so that those servers have a small chance, too.
  std::stable_sort(left.begin(), left.end(), [](const Server* a, const Server* b) {
    return a->priority != b->priority ? a->priority < b->priority : (a->weight == 0) > (b->weight == 0);
  });
  Addresses ordered;
  while (!left.empty()) {
    const auto end = std::find_if(left.begin(), left.end(), [&](const Server* server) {
      return server->priority != left.front()->priority;
    });
    uint32_t sum = 0;
    for (auto at = left.begin(); at != end; ++at) sum += (*at)->weight;
    const uint32_t chosen = sum == 0 ? 0 : random(sum);
    auto next = left.begin();
    for (uint32_t running = (*next)->weight; running < chosen; running += (*next)->weight) ++next;
    for (const auto& address : (*next)->addresses)
      if (ordered.size() < kMaxTargets && std::find(ordered.begin(), ordered.end(), address) == ordered.end())
        ordered.push_back(address);
    left.erase(next);
  }
  return ordered;
}

}  // namespace patchbay::sip_trunk
