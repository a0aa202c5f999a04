// The keys under tenants.<host>.WebPhone that the specification defines and no plugin reads yet. They are
// accepted, so that a configuration written by the specification starts. Move a key to the manifest of the
// plugin that reads it.
#pragma once

#include <string_view>

namespace patchbay::core::config {

// A value out of range becomes the nearest bound without a warning, which the specification requires of these
// keys only.
constexpr std::string_view kReservedWebPhoneKeys = R"({"type":"object","properties":{
  "Sfu":{"type":"object","default":{},"properties":{
    "AutoPromoteHumanCount":{"type":"integer","minimum":2,"maximum":100,"default":6,"x-snap":true},
    "AutoPromoteBwMinHumans":{"type":"integer","minimum":2,"maximum":100,"default":3,"x-snap":true},
    "StressWindowSec":{"type":"integer","minimum":5,"maximum":600,"default":30,"x-snap":true},
    "MinStressedPeers":{"type":"integer","minimum":2,"maximum":100,"default":2,"x-snap":true},
    "BwDegradedSuppressSec":{"type":"integer","minimum":30,"maximum":86400,"default":300,"x-snap":true},
    "StressBwMbpsThreshold":{"type":"number","minimum":0.1,"maximum":1000,"default":1.5,"x-snap":true},
    "StressLossPctThreshold":{"type":"number","minimum":0.1,"maximum":50,"default":5,"x-snap":true},
    "StressRttMsThreshold":{"type":"integer","minimum":50,"maximum":10000,"default":300,"x-snap":true}}}}})";

}  // namespace patchbay::core::config
