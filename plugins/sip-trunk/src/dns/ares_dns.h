// AresDns: DNS queries by c-ares, with the servers of /etc/resolv.conf as it is now. One thread; each object
// makes the queries of one lookup.
#pragma once

#include <ares.h>

#include "dns/dns.h"

namespace patchbay::sip_trunk {

class AresDns final : public Dns {
 public:
  AresDns();
  ~AresDns();
  AresDns(const AresDns&) = delete;
  AresDns& operator=(const AresDns&) = delete;

  Result<std::vector<NaptrRecord>> naptr(const std::string& name) override;
  Result<std::vector<SrvRecord>> srv(const std::string& name) override;
  std::vector<Result<Addresses>> addresses(const std::vector<std::string>& hosts, int family) override;
  Addresses from_hosts_file(const std::string& host, int family) override;

 private:
  // Returns the answer's bytes; empty if there is no such record.
  Result<std::string> query(const std::string& name, int type);
  // Waits until `pending` is 0, but not beyond the deadline of all queries together.
  void run(const size_t& pending) const;

  ares_channel channel_ = nullptr;  // null: c-ares could not start
  const int64_t deadline_ms_;
};

}  // namespace patchbay::sip_trunk
