/* The entry of a plugin, its manifest and its lifecycle.
 *
 * A plugin exports one constant data symbol, `patchbay_plugin_v1` (major version in the name), of type
 * pb_entry; no code runs to produce it. A statically linked plugin names it `patchbay_plugin_v1_<id>` ('-' as
 * '_'). Manifest and SQL are also in the ELF sections `.patchbay_manifest` and `.patchbay_store`, so that
 * they can be read without loading the file.
 *
 * THE MANIFEST (JSON)
 *   id           name of the folder, the target, the configuration key; [a-z][a-z0-9-]{0,31}
 *   version      of the plugin, "1.2.3"
 *   summary      one sentence
 *   license      SPDX
 *   provides     services it provides: ["patchbay.telephony/1"]
 *   requires     services that must be available before it is started; without cycles
 *   optional     services it uses when they are available
 *   emits        events it publishes: topics, or {"topic", "summary", "subject", "schema"} for webhooks, too
 *   isolation    "process": runs in a separate process unless its section says `isolation: none`
 *   config       {"plugin": schema, "tenant": schema, "WebPhone": schema}: JSON Schemas of its settings;
 *                patchbay_add_plugin takes them from the file given as SETTINGS
 *
 * LIFECYCLE, all on the plugin's main strand (handle 0 in every strand argument):
 *   create -> start -> [reconfigure]* -> drain -> stop -> destroy.  After a failed start: destroy. */
#ifndef PATCHBAY_ABI_PLUGIN_H
#define PATCHBAY_ABI_PLUGIN_H

#include "base.h"

#define PB_MAGIC 0x31594250u /* "PBY1" */
#define PB_ABI_MAJOR 1
#define PB_ABI_MINOR 0

/* The host, as passed to create.
 * Lifetime: valid from create until destroy returns, as are the tables that query returns.
 * Since: 0.1 */
typedef struct pb_host {
  uint32_t size;
  uint32_t abi_minor;
  void* self; /* opaque; pass it as the first argument of the tables' functions */
  /* [any] The table of interface `id` (for example PB_BUS_ID) if the host has it with at least `min_size`
   * bytes, else NULL. The table and its `self` argument (always this host's `self`) live as long as the host.
   */
  const void* (*query)(void* self, pb_str id, uint32_t min_size)PB_NOEXCEPT;
} pb_host;

/* Completion of an asynchronous lifecycle function: call it exactly once, from any thread. `err` may be NULL.
 * Lifetime: borrowed for the call that passes it; a copy stays valid until it was called.
 * Since: 0.1 */
typedef struct pb_done {
  uint32_t size;
  uint32_t reserved;
  void* self;
  /* [any] Completes the function with this status. */
  void (*call)(void* self, int32_t status, const pb_err* err) PB_NOEXCEPT;
} pb_done;

/* The plugin's functions. `self` is what create returned. `config` is JSON: {"server":{}, "plugin":{},
 * "tenants":{"<host>":{"primary":true,"section":{},"WebPhone":{}}}}, already checked against the manifest's
 * schemas, with defaults filled in and secrets resolved.
 * Lifetime: owned by the plugin, constant, valid until destroy returns; arguments are borrowed for the call.
 * Since: 0.1 */
typedef struct pb_plugin {
  uint32_t size;
  uint32_t reserved;
  /* [strand main] Starts the plugin: registers services, opens ports. It is running once `done` was called
   * with PB_OK. */
  void (*start)(void* self, pb_str config, const pb_done* done) PB_NOEXCEPT;
  /* [strand main] Checks whether the plugin would accept this configuration, without side effects.
   * PB_E_UNSUPPORTED: a change needs a restart. Also called before a server starts, and by `patchbay check`,
   * on an instance that was created and is never started. */
  int32_t (*check_config)(void* self, pb_str config, pb_err* err) PB_NOEXCEPT;
  /* [strand main] Applies a configuration, which check_config has accepted just before, so it cannot fail. */
  void (*reconfigure)(void* self, pb_str config) PB_NOEXCEPT;
  /* [strand main] Accepts no new work; calls `done` when running work has ended. The host proceeds to stop at
   * its deadline. */
  void (*drain)(void* self, const pb_done* done) PB_NOEXCEPT;
  /* [strand main] Closes everything and joins the plugin's threads. No callback may run after `done`. */
  void (*stop)(void* self, const pb_done* done) PB_NOEXCEPT;
  /* [strand main] Frees the plugin; the last call. */
  void (*destroy)(void* self) PB_NOEXCEPT;
} pb_plugin;
#define PB_PLUGIN_FLOOR 56u /* of 0.1 */

/* The plugin's one exported symbol.
 * Lifetime: static, as all it points to; files are never unloaded.
 * Since: 0.1 */
typedef struct pb_entry {
  uint32_t magic;     /* PB_MAGIC */
  uint32_t size;      /* sizeof(pb_entry) of the plugin's header */
  uint16_t abi_major; /* PB_ABI_MAJOR */
  uint16_t abi_minor; /* PB_ABI_MINOR the plugin was built with; informative, never a reason to refuse it */
  uint32_t flags;     /* 0 */
  pb_str manifest;    /* JSON, as above; static */
  pb_str store;       /* SQL of the plugin's tables and statements (abi/store.h); static, may be empty */
  /* [strand main] Creates an instance. On success *table and *self are set; `host` stays valid until destroy
   * returns. */
  int32_t (*create)(const pb_host* host, const pb_plugin** table, void** self, pb_err* err) PB_NOEXCEPT;
} pb_entry;

#define PB_ENTRY_FLOOR 56u /* of 0.1 */

#endif
