// use(): calls functions that the C++ layer does not expose; counts them if REFERENCE_COUNTS is defined.
#pragma once

#ifdef REFERENCE_COUNTS
#include "slot_counts.h"
#else
namespace reference {

// use<&pb_port::pull>(table)(self, &frame)
template <auto Member, class Table>
auto use(const Table* table) {
  return table->*Member;
}

}  // namespace reference

#define REFERENCE_PLUGIN(Class) PATCHBAY_PLUGIN(Class)
#endif
