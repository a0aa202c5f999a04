// TrunkLimits: how many calls go through each trunk at once, and how many start per second. Pure logic; main
// strand. It counts the calls of this process, and those that set_others() reports of other servers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace patchbay::sip_trunk {

struct TrunkLimit {
  double calls_per_second = 0;  // starts, evenly spaced; 0: any number
  int64_t max_calls = 0;        // at once; 0: any number
};

struct TrunkKey {
  std::string tenant;
  std::string trunk_id;
  friend auto operator<=>(const TrunkKey&, const TrunkKey&) = default;
};

// Why a trunk takes no call now.
struct TrunkRefusal {
  const char* limit = "";  // "maxCalls", "callsPerSecond"
  std::string text;        // "maxCalls (30) of the trunk main"
  int64_t retry_ms = 0;    // when it may take one; 0: when a call has ended
};

class TrunkLimits {
 public:
  // Takes a place for the call, the reserved one if it has one there. nullopt: taken; release() it.
  std::optional<TrunkRefusal> take(const TrunkKey& trunk, const TrunkLimit& limit, const std::string& call_id,
                                   int64_t now_ns);
  void release(const TrunkKey& trunk);

  // Takes a place that ends after kReservationMs unless take() has claimed it.
  std::optional<TrunkRefusal> reserve(const TrunkKey& trunk, const TrunkLimit& limit,
                                      const std::string& call_id, int64_t now_ns);
  // The trunk at which the call has a reservation; nullptr: it has none.
  const TrunkKey* reservation(const std::string& call_id, int64_t now_ns);
  // Ends the call's reservation, if it has one; the next call may start as if it had never been.
  void cancel(const std::string& call_id);
  // The limit that would refuse another call now. Takes nothing.
  std::optional<TrunkRefusal> reached(const TrunkKey& trunk, const TrunkLimit& limit, int64_t now_ns);

  // The calls at each trunk here, reserved places included.
  std::map<TrunkKey, int64_t> uses() const;
  // The calls at each trunk at other servers, and the number of all servers, which start calls in turn.
  void set_others(std::map<TrunkKey, int64_t> calls, int64_t servers);

 private:
  struct Use {
    int64_t calls = 0;
    int64_t next_start_ns = 0;  // monotonic clock
  };
  struct Reservation {
    TrunkKey trunk;
    int64_t ends_ns;
    int64_t start_before_ns, start_after_ns;  // next_start_ns of the trunk
  };
  std::optional<TrunkRefusal> count(const TrunkKey& trunk, const TrunkLimit& limit, int64_t now_ns);
  bool is_reserved_at(const TrunkKey& trunk) const;
  void expire(int64_t now_ns);

  std::map<TrunkKey, Use> uses_;
  std::map<TrunkKey, int64_t> others_;
  int64_t servers_ = 1;
  std::map<std::string, Reservation> reservations_;  // by call id
};

// A place at a trunk, released by the destructor.
class TrunkPlace {
 public:
  TrunkPlace() = default;
  TrunkPlace(TrunkLimits& limits, TrunkKey trunk) : limits_(&limits), trunk_(std::move(trunk)) {}
  TrunkPlace(TrunkPlace&& other) noexcept
      : limits_(std::exchange(other.limits_, nullptr)), trunk_(std::move(other.trunk_)) {}
  TrunkPlace& operator=(TrunkPlace&& other) noexcept {
    std::swap(limits_, other.limits_);
    std::swap(trunk_, other.trunk_);
    return *this;
  }
  ~TrunkPlace() {
    if (limits_ != nullptr) limits_->release(trunk_);
  }

 private:
  TrunkLimits* limits_ = nullptr;  // borrowed
  TrunkKey trunk_;
};

}  // namespace patchbay::sip_trunk
