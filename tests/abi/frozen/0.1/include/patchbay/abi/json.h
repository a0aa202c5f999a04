/* The host's hardened JSON parser and schema validator, so that plugins need none. */
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
typedef struct pb_json_node pb_json_node; /* a value in a document; lives as long as the document */

/* Lifetime: a document, its nodes and their strings live until free_doc; a text argument is borrowed for the
 *   call.
 * Since: 0.1 */
typedef struct pb_json {
  uint32_t size;
  uint32_t reserved;

  /* [any] Parses RFC 8259 strictly: no duplicate keys, depth 32, at most 16 MiB and a million values. Errors
   * quote nothing of the text but the name of a field. *doc is set on PB_OK. */
  int32_t (*parse)(void* host, pb_str text, pb_json_doc** doc, pb_err* err) PB_NOEXCEPT;
  /* [any] Frees a document; NULL is a no-op. */
  void (*free_doc)(void* host, pb_json_doc* doc) PB_NOEXCEPT;
  /* [any] The root value. */
  const pb_json_node* (*root)(const pb_json_doc* doc)PB_NOEXCEPT;
  /* [any] PB_JSON_*; PB_JSON_NULL for a NULL node. */
  uint32_t (*type)(const pb_json_node* node) PB_NOEXCEPT;
  /* [any] The number of elements or members; 0 for other types. */
  uint64_t (*count)(const pb_json_node* node) PB_NOEXCEPT;
  /* [any] The element, or the member's value, at this index; NULL past the end. */
  const pb_json_node* (*at)(const pb_json_node* node, uint64_t index)PB_NOEXCEPT;
  /* [any] The member's name at this index; empty past the end. */
  pb_str (*key_at)(const pb_json_node* node, uint64_t index) PB_NOEXCEPT;
  /* [any] The value of the member with this name; NULL when absent. */
  const pb_json_node* (*get)(const pb_json_node* node, pb_str key)PB_NOEXCEPT;
  /* [any] 1 for true, else 0. */
  int32_t (*boolean)(const pb_json_node* node) PB_NOEXCEPT;
  /* [any] The value of a PB_JSON_INT; 0 for other types. */
  int64_t (*integer)(const pb_json_node* node) PB_NOEXCEPT;
  /* [any] The value of a PB_JSON_INT or PB_JSON_NUMBER; 0 for other types. */
  double (*number)(const pb_json_node* node) PB_NOEXCEPT;
  /* [any] The text of a PB_JSON_STRING; empty for other types. */
  pb_str (*string)(const pb_json_node* node) PB_NOEXCEPT;
  /* [any] Writes the node as compact JSON into a buffer that the caller releases. */
  pb_buf* (*write)(void* host, const pb_json_node* node)PB_NOEXCEPT;

  /* [any] Compiles a schema for repeated use; free it with schema_free. 0 and `err` for an invalid schema. */
  uint64_t (*schema)(void* host, pb_str schema_text, pb_err* err) PB_NOEXCEPT;
  /* [any] Frees a schema; 0 is a no-op. */
  void (*schema_free)(void* host, uint64_t schema) PB_NOEXCEPT;
  /* [any] Parses and validates a request body. Accepts names in camelCase or PascalCase, drops unknown
   * members, fills in defaults, treats null for an optional member as absent, and refuses NUL in strings.
   * *doc is the resulting document. Errors name the field and the limit. */
  int32_t (*schema_read)(void* host, uint64_t schema, pb_str text, pb_json_doc** doc,
                         pb_err* err) PB_NOEXCEPT;
} pb_json;
#define PB_JSON_FLOOR 136u /* of 0.1 */

#endif
