/* How a plugin presents itself, and the life it leads.
 *
 * A plugin exports one constant data symbol, `patchbay_plugin_v1` (major version in the name), of type
 * pb_entry; no code runs to produce it. Linked statically it is `patchbay_plugin_v1_<id>` ('-' as '_').
 * Manifest and SQL also lie in the ELF sections `.patchbay_manifest` and `.patchbay_store`, for readers.
 *
 * THE MANIFEST (JSON)
 *   id           name of the folder, the target, the configuration key; [a-z][a-z0-9-]{0,31}
 *   version      of the plugin, "1.2.3"
 *   summary      one sentence
 *   license      SPDX
 *   provides     services offered: ["patchbay.telephony/1"]
 *   requires     services without which it is not started; may not run in a circle
 *   optional     services it watches
 *   emits        events it publishes: topics, or {"topic", "summary", "subject", "schema"} for webhooks, too
 *   isolation    "process": runs in a separate process unless its section says `isolation: none`
 *   config       {"plugin": schema, "tenant": schema, "WebPhone": schema}: JSON Schemas of its configuration
 *
 * LIFE, all on the plugin's own strand ("main strand", handle 0 in every strand argument):
 *   create -> start -> [reconfigure]* -> drain -> stop -> destroy.  After a failed start: destroy. */
#ifndef PATCHBAY_ABI_PLUGIN_H
#define PATCHBAY_ABI_PLUGIN_H

#include "base.h"

#define PB_MAGIC 0x31594250u /* "PBY1" */
#define PB_ABI_MAJOR 1
#define PB_ABI_MINOR 0

/* What the host gives.
 * Lifetime: valid from create until destroy returns, and so are the tables it gives out.
 * Since: 0.1 */
typedef struct pb_host {
  uint32_t size;
  uint32_t abi_minor;
  void* self; /* the host's own; pass it back */
  /* [any] The table of interface `id` (for example PB_BUS_ID) if the host serves it in at least `min_size`
   * bytes, else NULL. The table and its `self` argument (always this host's `self`) live as long as the host.
   */
  const void* (*query)(void* self, pb_str id, uint32_t min_size)PB_NOEXCEPT;
} pb_host;

/* Answer of an asynchronous lifecycle function: call it exactly once, from any thread. `err` may be NULL.
 * Lifetime: borrowed for the call that passes it; copy it, the copy is good until it was called.
 * Since: 0.1 */
typedef struct pb_done {
  uint32_t size;
  uint32_t reserved;
  void* self;
  /* [any] The answer. */
  void (*call)(void* self, int32_t status, const pb_err* err) PB_NOEXCEPT;
} pb_done;

/* What the plugin gives. `self` is what create returned. `config` is JSON: {"server":{}, "plugin":{},
 * "tenants":{"<host>":{"primary":true,"section":{},"WebPhone":{}}}}, already checked against the manifest's
 * schemas, with defaults filled in and secrets resolved.
 * Lifetime: owned by the plugin, constant, valid until destroy returns; arguments are borrowed for the call.
 * Since: 0.1 */
typedef struct pb_plugin {
  uint32_t size;
  uint32_t reserved;
  /* [strand main] Register, open, begin. The plugin serves when `done` was called with PB_OK. */
  void (*start)(void* self, pb_str config, const pb_done* done) PB_NOEXCEPT;
  /* [strand main] Would this configuration be taken? No side effect. PB_E_UNSUPPORTED: only by a restart.
   * Before a server starts, and for `patchbay check`, it is asked of a plugin that was created and never
   * started. */
  int32_t (*check_config)(void* self, pb_str config, pb_err* err) PB_NOEXCEPT;
  /* [strand main] Take it; was checked just before, so it may not fail. */
  void (*reconfigure)(void* self, pb_str config) PB_NOEXCEPT;
  /* [strand main] Take no new work; call `done` when what runs has ended. The host goes on to stop at its
   * deadline. */
  void (*drain)(void* self, const pb_done* done) PB_NOEXCEPT;
  /* [strand main] Let go of everything; join own threads. No callback may run after `done`. */
  void (*stop)(void* self, const pb_done* done) PB_NOEXCEPT;
  /* [strand main] The last call. */
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
  uint16_t abi_minor; /* PB_ABI_MINOR the plugin was built with; for people, not a gate */
  uint32_t flags;     /* 0 */
  pb_str manifest;    /* JSON, as above; static */
  pb_str store;       /* SQL of the plugin's tables and statements (abi/store.h); static, may be empty */
  /* [strand main] Makes the plugin. On success *table and *self are set; `host` stays valid until destroy
   * returns. */
  int32_t (*create)(const pb_host* host, const pb_plugin** table, void** self, pb_err* err) PB_NOEXCEPT;
} pb_entry;

#define PB_ENTRY_FLOOR 56u /* of 0.1 */

#endif
