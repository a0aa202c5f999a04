// Keys for rate limits per client address. Pure functions, any thread.
//
// IPv6 providers assign at least a /64 to a customer, so a limit per full address limits nothing. Count per
// /64, and with a larger limit per /48, because a customer may have many /64s of one /48.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::lib {

// Returns the /64 of an IPv6 address ("2001:db8:0:1::/64") or the whole IPv4 address. An IPv4-mapped IPv6
// address ("::ffff:192.0.2.1") counts as IPv4. Returns text that is not an address unchanged.
std::string address_key(std::string_view address);

// The same with the /48 of an IPv6 address.
std::string site_key(std::string_view address);

}  // namespace patchbay::lib
