/* The entry of a hostile plugin: HOSTILE_FAULT names its fault (faults.cpp). Further macros make the entry
 * itself invalid. */
#include <patchbay/abi.h>

#ifndef HOSTILE_MAGIC
#define HOSTILE_MAGIC PB_MAGIC
#endif
#ifndef HOSTILE_SIZE
#define HOSTILE_SIZE sizeof(pb_entry)
#endif

extern const char PATCHBAY_MANIFEST_DATA[];
extern const char PATCHBAY_STORE_DATA[];

int32_t hostile_create(const char* fault, const pb_host* host, const pb_plugin** table, void** self,
                       pb_err* err);

#ifndef HOSTILE_NO_CREATE
static int32_t create(const pb_host* host, const pb_plugin** table, void** self, pb_err* err) {
  return hostile_create(HOSTILE_FAULT, host, table, self, err);
}
#define HOSTILE_CREATE &create
#else
#define HOSTILE_CREATE NULL
#endif

extern const pb_entry patchbay_plugin_v1;
__attribute__((visibility("default"), used))
const pb_entry patchbay_plugin_v1 = {HOSTILE_MAGIC,
                                     HOSTILE_SIZE,
                                     PB_ABI_MAJOR,
                                     PB_ABI_MINOR,
                                     0,
                                     {PATCHBAY_MANIFEST_DATA, PATCHBAY_MANIFEST_SIZE},
                                     {PATCHBAY_STORE_DATA, PATCHBAY_STORE_SIZE},
                                     HOSTILE_CREATE};
