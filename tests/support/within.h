// Waits for a condition that another thread makes true.
#pragma once

#include <chrono>
#include <thread>

// Polls every millisecond. False when `limit` passes first.
template <class Condition>
bool within(std::chrono::seconds limit, Condition condition) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}
