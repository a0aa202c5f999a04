// Function<R(A...)>: a move-only std::function, so that the callable may own a Reply or a unique_ptr.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace patchbay {

template <class Signature>
class Function;

template <class R, class... A>
class Function<R(A...)> {
 public:
  Function() = default;
  Function(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, Function>>>
  // NOLINTNEXTLINE(google-explicit-constructor,bugprone-forwarding-reference-overload): excluded by the
  // condition above
  Function(F&& f) : target_(std::make_unique<Holder<std::decay_t<F>>>(std::in_place, std::forward<F>(f))) {}

  R operator()(A... arguments) const { return target_->call(std::forward<A>(arguments)...); }
  explicit operator bool() const noexcept { return target_ != nullptr; }

 private:
  struct Target {
    virtual ~Target() = default;
    virtual R call(A... arguments) = 0;
  };
  template <class F>
  struct Holder final : Target {
    template <class G>
    Holder(std::in_place_t, G&& g) : f(std::forward<G>(g)) {}
    R call(A... arguments) override { return f(std::forward<A>(arguments)...); }
    F f;
  };
  std::unique_ptr<Target> target_;
};

}  // namespace patchbay
