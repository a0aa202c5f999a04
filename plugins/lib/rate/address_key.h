// Keys for limits per client address. Pure functions, any thread.
//
// A provider hands an IPv6 customer a whole /64 at least, so that a limit by full address limits nothing:
// count by /64, and with a larger allowance by /48, which is what a customer may get many /64 of.
#pragma once

#include <string>
#include <string_view>

namespace patchbay::lib {

// The /64 of an IPv6 address ("2001:db8:0:1::/64"), an IPv4 address whole. An IPv4 address inside IPv6
// ("::ffff:192.0.2.1") counts as the IPv4 address. Text that is no address is returned as it is.
std::string address_key(std::string_view address);

// The same with the /48 of an IPv6 address.
std::string site_key(std::string_view address);

}  // namespace patchbay::lib
