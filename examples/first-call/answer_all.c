// A module for baresip: the account with ;answer_all=yes takes calls to any number, not to its own alone.
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

// What it needs of baresip's API, as Debian's baresip-core 1.0.0 exports it.
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
