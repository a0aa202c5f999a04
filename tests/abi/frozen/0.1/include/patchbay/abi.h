/* Includes the whole boundary. abi/base.h has its rules; each header documents its table. */
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
