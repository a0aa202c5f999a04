// LinkedPlugin<T>::entry: the entry of a plugin written inside a test, for TestServer's `linked`.
#pragma once

#include <patchbay/plugin.h>

#include <string>

namespace patchbay::test {

// T has `static constexpr char manifest[]` and `static constexpr char store_sql[]` ("" for none).
template <class T>
struct LinkedPlugin {
  static inline const pb_entry entry{PB_MAGIC,
                                     sizeof(pb_entry),
                                     PB_ABI_MAJOR,
                                     PB_ABI_MINOR,
                                     0,
                                     {T::manifest, sizeof(T::manifest) - 1},
                                     {T::store_sql, sizeof(T::store_sql) - 1},
                                     &detail::plugin_create<T>};
};

}  // namespace patchbay::test
