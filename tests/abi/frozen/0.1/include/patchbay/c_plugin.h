/* For plugins in C, which use the tables of abi/ directly: PATCHBAY_C_PLUGIN exports the entry. C11 and
 * C++17.
 *
 *   static int32_t create(const pb_host* host, const pb_plugin** table, void** self, pb_err* err) { ... }
 *   PATCHBAY_C_PLUGIN(create)
 */
#ifndef PATCHBAY_C_PLUGIN_H
#define PATCHBAY_C_PLUGIN_H

#include <string.h>

#include "abi.h"

/* [any] Fills `err`, which may be NULL, and returns `code`. */
static inline int32_t pb_fail(pb_err* err, int32_t code, const char* text) PB_NOEXCEPT {
  size_t room;
  size_t length;
  if (err == NULL || err->size <= offsetof(pb_err, text)) return code;
  room = err->size - offsetof(pb_err, text);
  if (room > sizeof err->text) room = sizeof err->text;
  length = strlen(text) < room - 1 ? strlen(text) : room - 1;
  err->code = code;
  memcpy(err->text, text, length);
  err->text[length] = 0;
  return code;
}

/* patchbay_add_plugin defines the PATCHBAY_ macros used here; see plugin.h. */
#define PATCHBAY_C_PLUGIN(create)                                                            \
  PB_EXTERN_C const char PATCHBAY_MANIFEST_DATA[];                                           \
  PB_EXTERN_C const char PATCHBAY_STORE_DATA[];                                              \
  PB_EXTERN_C const pb_entry PATCHBAY_PLUGIN_SYMBOL;                                         \
  __attribute__((visibility("default"), used))                                               \
  const pb_entry PATCHBAY_PLUGIN_SYMBOL = {PB_MAGIC,                                         \
                                           sizeof(pb_entry),                                 \
                                           PB_ABI_MAJOR,                                     \
                                           PB_ABI_MINOR,                                     \
                                           0,                                                \
                                           {PATCHBAY_MANIFEST_DATA, PATCHBAY_MANIFEST_SIZE}, \
                                           {PATCHBAY_STORE_DATA, PATCHBAY_STORE_SIZE},       \
                                           create};

#endif
