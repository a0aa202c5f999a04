#include "compatibility/floor_tables.h"

#include <patchbay/abi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

namespace patchbay::test {
namespace {

// Copies the first `floor` bytes of a table to the end of a page that is followed by an unreadable one.
const void* cut(const void* table, uint32_t floor) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(pages != MAP_FAILED);
  char* end = static_cast<char*>(pages) + page;
  std::memcpy(end - floor, table, floor);
  std::memcpy(end - floor, &floor, sizeof floor);
  static_cast<void>(mprotect(end, page, PROT_NONE));
  return end - floor;
}

const pb_entry* real_entry = nullptr;
const pb_host* real_host = nullptr;
pb_host old_host;
pb_entry old_entry;

const void* query(void* self, pb_str id, uint32_t min_size) noexcept {
  static const std::map<std::string_view, uint32_t> floors{
      {PB_RUNTIME_ID, PB_RUNTIME_FLOOR}, {PB_OBSERVE_ID, PB_OBSERVE_FLOOR},
      {PB_JSON_ID, PB_JSON_FLOOR},       {PB_BUS_ID, PB_BUS_FLOOR},
      {PB_STORE_ID, PB_STORE_FLOOR},     {PB_SERVICES_ID, PB_SERVICES_FLOOR},
      {PB_MEDIA_ID, PB_MEDIA_FLOOR}};
  const std::string_view name(id.data, id.len);
  const auto floor = floors.find(name);
  if (floor == floors.end() || min_size > floor->second) return nullptr;
  static std::map<std::string, const void*> tables;  // never freed, as the core's
  const void*& table = tables[std::string(name)];
  if (table == nullptr) table = cut(real_host->query(self, id, floor->second), floor->second);
  return table;
}

int32_t create(const pb_host* host, const pb_plugin** table, void** self, pb_err* err) noexcept {
  real_host = host;
  old_host = *host;
  old_host.query = &query;
  return real_entry->create(&old_host, table, self, err);
}

}  // namespace

const pb_entry* with_floor_tables(const pb_entry& plugin) {
  real_entry = &plugin;
  old_entry = plugin;
  old_entry.create = &create;
  return &old_entry;
}

}  // namespace patchbay::test
