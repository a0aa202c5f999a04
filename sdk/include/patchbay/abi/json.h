/* The host's hardened JSON parser and schema validator, so that no plugin needs its own. */
#ifndef PATCHBAY_ABI_JSON_H
#define PATCHBAY_ABI_JSON_H

#include "base.h"

#define PB_JSON_ID "patchbay.json/1"

#define PB_JSON_NULL 0u
#define PB_JSON_BOOL 1u
#define PB_JSON_INT 2u    /* fits int64 */
#define PB_JSON_NUMBER 3u /* any other number */
#define PB_JSON_STRING 4u
#define PB_JSON_ARRAY 5u
#define PB_JSON_OBJECT 6u

typedef struct pb_json_doc
    pb_json_doc; /* a parsed document; immutable; owned by the host, freed by free_doc */
typedef struct pb_json_node pb_json_node; /* a place in a document; lives as long as it */

/* Lifetime: a document lives until free_doc, its nodes and their strings as long; text that is passed is
 *   borrowed for the call.
 * Since: 0.1 */
typedef struct pb_json {
  uint32_t size;
  uint32_t reserved;

  /* [any] RFC 8259, strictly: no duplicate keys, depth 32, at most 16 MiB and a million values. Errors hold
   * nothing of the text but the name of a field. *doc is set on PB_OK. */
  int32_t (*parse)(void* host, pb_str text, pb_json_doc** doc, pb_err* err) PB_NOEXCEPT;
  /* [any] Frees it; NULL is allowed. */
  void (*free_doc)(void* host, pb_json_doc* doc) PB_NOEXCEPT;
  /* [any] The whole document. */
  const pb_json_node* (*root)(const pb_json_doc* doc)PB_NOEXCEPT;
  /* [any] PB_JSON_*; of a NULL node PB_JSON_NULL. */
  uint32_t (*type)(const pb_json_node* node) PB_NOEXCEPT;
  /* [any] Elements or members; 0 of anything else. */
  uint64_t (*count)(const pb_json_node* node) PB_NOEXCEPT;
  /* [any] An element, or the value of a member; NULL past the end. */
  const pb_json_node* (*at)(const pb_json_node* node, uint64_t index)PB_NOEXCEPT;
  /* [any] A member's name; empty past the end. */
  pb_str (*key_at)(const pb_json_node* node, uint64_t index) PB_NOEXCEPT;
  /* [any] The member of that name; NULL when absent. */
  const pb_json_node* (*get)(const pb_json_node* node, pb_str key)PB_NOEXCEPT;
  /* [any] 1 of true, else 0. */
  int32_t (*boolean)(const pb_json_node* node) PB_NOEXCEPT;
  /* [any] Of PB_JSON_INT, else 0. */
  int64_t (*integer)(const pb_json_node* node) PB_NOEXCEPT;
  /* [any] Of PB_JSON_INT and PB_JSON_NUMBER, else 0. */
  double (*number)(const pb_json_node* node) PB_NOEXCEPT;
  /* [any] Of PB_JSON_STRING, else empty. */
  pb_str (*string)(const pb_json_node* node) PB_NOEXCEPT;
  /* [any] The node as compact JSON, in a buffer the caller releases. */
  pb_buf* (*write)(void* host, const pb_json_node* node)PB_NOEXCEPT;

  /* [any] A schema made ready once and used many times. Freed by schema_free. */
  uint64_t (*schema)(void* host, pb_str schema_text, pb_err* err) PB_NOEXCEPT;
  /* [any] 0 is allowed. */
  void (*schema_free)(void* host, uint64_t schema) PB_NOEXCEPT;
  /* [any] Reads a request body: names in camelCase or PascalCase, unknown members dropped, defaults filled,
   * null for a member that may be left out as good as absent, no NUL in any string. *doc is the canonical
   * document. Errors name the field and the bound. */
  int32_t (*schema_read)(void* host, uint64_t schema, pb_str text, pb_json_doc** doc,
                         pb_err* err) PB_NOEXCEPT;
} pb_json;
#define PB_JSON_FLOOR 136u /* of 0.1 */

#endif
