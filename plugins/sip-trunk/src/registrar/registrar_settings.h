// The settings of the registrar: those of the server, and how telephones are called.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registrar/bindings.h"
#include "stack/sip_types.h"

namespace patchbay::sip_trunk {

struct RegistrarSettings {
  bool is_on = false;
  std::string listen_ip;
  uint16_t listen_port = 0;
  uint16_t tls_port = 0;
  bool has_tcp = true;
  std::vector<std::string> algorithms;  // of challenges, the preferred one first
  Bindings::Limits limits;
  TrunkAccess access;  // encryption and codecs of calls to telephones

  // Whether both need the same sockets and challenges, which change only by a restart.
  bool has_same_sockets(const RegistrarSettings& other) const {
    return is_on == other.is_on && listen_ip == other.listen_ip && listen_port == other.listen_port &&
           tls_port == other.tls_port && has_tcp == other.has_tcp && algorithms == other.algorithms;
  }
};

}  // namespace patchbay::sip_trunk
