// Hands objects from other threads to the media loop, which must not allocate or free memory: what the loop
// no longer uses goes back, and is freed when the next one is handed over.
#pragma once

#include <atomic>
#include <utility>

namespace patchbay::sip_trunk {

template <class T>
class LoopHandover {
 public:
  LoopHandover() = default;
  LoopHandover(const LoopHandover&) = delete;
  LoopHandover& operator=(const LoopHandover&) = delete;
  ~LoopHandover() {
    free_all(pending_.load());
    free_all(returned_.load());
  }

  // [any, not media] Replaces one that the loop has not taken yet.
  void put(T object) {
    free_all(returned_.exchange(nullptr, std::memory_order_acquire));
    free_all(pending_.exchange(new Node{std::move(object), nullptr}, std::memory_order_acq_rel));
  }

  // [media] Calls f(object) for the latest object, if there is a new one. What f() leaves in it is freed
  // later.
  template <class F>
  void take(F f) noexcept {
    if (pending_.load(std::memory_order_relaxed) == nullptr) return;  // the usual case, at the cost of a load
    Node* const node = pending_.exchange(nullptr, std::memory_order_acq_rel);
    if (node == nullptr) return;
    f(node->object);
    node->next = returned_.load(std::memory_order_relaxed);
    while (!returned_.compare_exchange_weak(node->next, node, std::memory_order_release)) {
    }
  }

 private:
  struct Node {
    T object;
    Node* next;
  };
  static void free_all(Node* node) {
    while (node != nullptr) delete std::exchange(node, node->next);
  }

  std::atomic<Node*> pending_{nullptr};
  std::atomic<Node*> returned_{nullptr};  // a list, because the loop may give back while put() frees
};

}  // namespace patchbay::sip_trunk
