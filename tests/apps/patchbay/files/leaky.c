/* A plugin built without patchbay_add_plugin: it exports a further function, and requires a service that no
 * plugin provides. */
#include <patchbay/abi/plugin.h>

#define MANIFEST "{\"id\": \"leaky\", \"version\": \"1.0.0\", \"requires\": [\"patchbay.nothing/1\"]}"
static const char manifest[] __attribute__((section(".patchbay_manifest"), used)) = MANIFEST;

int32_t leaky_create(const pb_host* host, const pb_plugin** table, void** self, pb_err* err);
int32_t leaky_create(const pb_host* host, const pb_plugin** table, void** self, pb_err* err) {
  (void)host, (void)table, (void)self, (void)err;
  return PB_E_FAILED;
}

extern const pb_entry patchbay_plugin_v1;
const pb_entry patchbay_plugin_v1 = {
    PB_MAGIC, sizeof(pb_entry), PB_ABI_MAJOR, PB_ABI_MINOR, 0, {manifest, sizeof manifest - 1},
    {0, 0},   leaky_create};
