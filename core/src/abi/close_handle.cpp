#include "abi/close_handle.h"

#include <type_traits>

namespace patchbay::core {

void close_handle(const HostTablePointers& tables, void* host, HandleKind kind, uint64_t handle, pb_fn done,
                  void* user) {
  using Now = void (*)(void* host, uint64_t handle) noexcept;
  using Later = void (*)(void* host, uint64_t handle, pb_fn done, void* user) noexcept;
  for_each_table(tables, [&]<class T>(const T& table) {
    for_each_function<T>([&]<size_t I>() {
      constexpr auto row = host_function<T, I>();
      if (row.closes != kind) return;
      const auto function = table.*row.member;
      if constexpr (std::is_same_v<std::remove_cv_t<decltype(function)>, Now>) {
        function(host, handle);
        if (done != nullptr) done(user);
      }
      if constexpr (std::is_same_v<std::remove_cv_t<decltype(function)>, Later>)
        function(host, handle, done, user);
    });
  });
}

}  // namespace patchbay::core
