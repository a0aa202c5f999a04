// Ref<T>: an intrusive reference-counting pointer. Used instead of shared_ptr because a C handle, a queue
// link and the count can then be one pointer: a strand in the ready list or an event in a ring holds its
// reference without an allocation.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace patchbay::core {

// Base class of counted objects. Starts with one reference, which Ref::adopt takes.
template <class T>
class RefCounted {
 public:
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void add_ref() const noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete static_cast<const T*>(this);
  }

 protected:
  RefCounted() = default;
  ~RefCounted() = default;

 private:
  mutable std::atomic<uint32_t> count_{1};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* target) noexcept : target_(target) {
    if (target_) target_->add_ref();
  }
  static Ref adopt(T* target) noexcept {
    Ref ref;
    ref.target_ = target;
    return ref;
  }
  Ref(const Ref& other) noexcept : Ref(other.target_) {}
  Ref(Ref&& other) noexcept : target_(std::exchange(other.target_, nullptr)) {}
  template <class U>
  Ref(Ref<U> other) noexcept : target_(other.detach()) {}  // NOLINT(google-explicit-constructor)
  Ref& operator=(Ref other) noexcept {
    std::swap(target_, other.target_);
    return *this;
  }
  ~Ref() {
    if (target_) target_->release();  // NOLINT(clang-analyzer-cplusplus.NewDelete): it does not see the count
  }

  T* get() const noexcept { return target_; }
  T& operator*() const noexcept { return *target_; }
  T* operator->() const noexcept { return target_; }
  explicit operator bool() const noexcept { return target_ != nullptr; }
  // Releases ownership: the caller must call release().
  T* detach() noexcept { return std::exchange(target_, nullptr); }

 private:
  T* target_ = nullptr;
};

template <class T, class... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>::adopt(new T(std::forward<Args>(args)...));
}

}  // namespace patchbay::core
