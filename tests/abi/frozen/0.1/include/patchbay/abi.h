/* The whole boundary. See abi/base.h for its rules; each header is the manual of its table. */
#ifndef PATCHBAY_ABI_H
#define PATCHBAY_ABI_H

#include "abi/base.h"
#include "abi/bus.h"
#include "abi/json.h"
#include "abi/media.h"
#include "abi/observe.h"
#include "abi/plugin.h"
#include "abi/runtime.h"
#include "abi/services.h"
#include "abi/store.h"

#endif
