// A module for baresip: the account with ;answer_all=yes accepts calls to any number.
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

// The part of baresip's API that it uses, as exported by Debian's baresip-core 1.0.0.
struct ua;
struct ua* uag_find_param(const char* name, const char* value);
void ua_set_catchall(struct ua* ua, bool enabled);

struct mod_export {
  const char* name;
  const char* type;
  int (*init)(void);
  int (*close)(void);
};

static int start(void) {
  struct ua* ua = uag_find_param("answer_all", "yes");
  if (ua == NULL) return ENOENT;
  ua_set_catchall(ua, true);
  return 0;
}

static int stop(void) { return 0; }

__attribute__((visibility("default")))
const struct mod_export exports = {"answer_all", "application", start, stop};
