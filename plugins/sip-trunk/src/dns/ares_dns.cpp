#include "dns/ares_dns.h"

#include <arpa/nameser.h>
#include <poll.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "now_ms.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

struct RawAnswer {
  size_t* pending;
  int status = ARES_ECANCELLED;
  std::string bytes;
};

struct AddressAnswer {
  size_t* pending;
  int status = ARES_ECANCELLED;
  Addresses addresses;
};

void on_answer(void* context, int status, int, unsigned char* bytes, int size) {
  auto& answer = *static_cast<RawAnswer*>(context);
  answer.status = status;
  if (bytes != nullptr && size > 0) answer.bytes.assign(reinterpret_cast<const char*>(bytes), size);
  --*answer.pending;
}

void on_addresses(void* context, int status, int, ares_addrinfo* found) {
  auto& answer = *static_cast<AddressAnswer*>(context);
  answer.status = status;
  for (const ares_addrinfo_node* node = found != nullptr ? found->nodes : nullptr; node != nullptr;
       node = node->ai_next) {
    sockaddr_storage storage{};
    std::memcpy(&storage, node->ai_addr, std::min<size_t>(node->ai_addrlen, sizeof(storage)));
    const auto address = lib::SocketAddress::from(storage).with_port(0);
    auto& all = answer.addresses;
    if (address.valid() && std::find(all.begin(), all.end(), address) == all.end() &&
        all.size() < kMaxAddressesOfName)
      all.push_back(address);
  }
  if (found != nullptr) ares_freeaddrinfo(found);
  --*answer.pending;
}

// `files`: asks the file of hosts instead of DNS.
ares_channel open_channel(bool files) {
  static const int ready = ares_library_init(ARES_LIB_INIT_ALL);
  if (ready != ARES_SUCCESS) return nullptr;
  ares_options options{};
  char lookups[] = {files ? 'f' : 'b', '\0'};
  options.lookups = lookups;
  options.timeout = static_cast<int>(kDnsTimeoutMs);
  options.tries = kDnsTries;
  ares_channel channel = nullptr;
  const int mask = ARES_OPT_LOOKUPS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES;
  return ares_init_options(&channel, &options, mask) == ARES_SUCCESS ? channel : nullptr;
}

ares_addrinfo_hints hints_for(int family) {
  ares_addrinfo_hints hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = ARES_AI_NOSORT;
  return hints;
}

Error failure(int status) {
  const char* why = status == ARES_ECANCELLED ? "no answer in time" : ares_strerror(status);
  return {Code::unavailable, why};
}

// Returns whether the status of a query for NAPTR or SRV means that there is no such record. Servers that do
// not know the type say so, too.
bool has_no_record(int status) {
  return status == ARES_ENODATA || status == ARES_ENOTFOUND || status == ARES_ENOTIMP ||
         status == ARES_EREFUSED || status == ARES_EFORMERR;
}

std::string text_of(const unsigned char* text) {
  return text != nullptr ? reinterpret_cast<const char*>(text) : std::string();
}

template <class Record>
struct FreeReply {
  void operator()(Record* list) const { ares_free_data(list); }
};

}  // namespace

AresDns::AresDns() : channel_(open_channel(false)), deadline_ms_(now_ms() + kMaxLookupMs) {}

AresDns::~AresDns() {
  if (channel_ != nullptr) ares_destroy(channel_);
}

void AresDns::run(const size_t& pending) const {
  while (pending > 0) {
    const int64_t left_ms = deadline_ms_ - now_ms();
    if (left_ms <= 0) return ares_cancel(channel_);  // calls the callbacks
    ares_socket_t sockets[ARES_GETSOCK_MAXNUM];
    const int wanted = ares_getsock(channel_, sockets, ARES_GETSOCK_MAXNUM);
    pollfd ready[ARES_GETSOCK_MAXNUM];
    nfds_t count = 0;
    for (int i = 0; i < ARES_GETSOCK_MAXNUM; ++i) {
      const short events = static_cast<short>((ARES_GETSOCK_READABLE(wanted, i) ? POLLIN : 0) |
                                              (ARES_GETSOCK_WRITABLE(wanted, i) ? POLLOUT : 0));
      if (events != 0) ready[count++] = {sockets[i], events, 0};
    }
    timeval limit{left_ms / 1000, left_ms % 1000 * 1000}, next{};
    const timeval* wait = ares_timeout(channel_, &limit, &next);
    const auto wait_ms = static_cast<int>(wait->tv_sec * 1000 + wait->tv_usec / 1000 + 1);
    if (::poll(ready, count, wait_ms) <= 0) {
      ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // repeats queries, gives up
      continue;
    }
    for (nfds_t i = 0; i < count; ++i) {
      const bool reads = (ready[i].revents & ~POLLOUT) != 0, writes = (ready[i].revents & POLLOUT) != 0;
      ares_process_fd(channel_, reads ? ready[i].fd : ARES_SOCKET_BAD,
                      writes ? ready[i].fd : ARES_SOCKET_BAD);
    }
  }
}

Result<std::string> AresDns::query(const std::string& name, int type) {
  if (channel_ == nullptr) return {Code::exhausted, "DNS queries cannot start"};
  size_t pending = 1;
  RawAnswer answer{&pending, ARES_ECANCELLED, {}};
  ares_query(channel_, name.c_str(), ns_c_in, type, on_answer, &answer);
  run(pending);
  if (has_no_record(answer.status)) return std::string();
  if (answer.status != ARES_SUCCESS) return failure(answer.status);
  return std::move(answer.bytes);
}

Result<std::vector<NaptrRecord>> AresDns::naptr(const std::string& name) {
  PB_TRY_VALUE(const std::string bytes, query(name, ns_t_naptr));
  std::vector<NaptrRecord> records;
  ares_naptr_reply* first = nullptr;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  if (bytes.empty() || ares_parse_naptr_reply(data, static_cast<int>(bytes.size()), &first) != ARES_SUCCESS)
    return records;
  const std::unique_ptr<ares_naptr_reply, FreeReply<ares_naptr_reply>> owner(first);
  for (const auto* next = first; next != nullptr; next = next->next)
    records.push_back({next->order, next->preference, text_of(next->flags), text_of(next->service),
                       next->replacement != nullptr ? next->replacement : ""});
  return records;
}

Result<std::vector<SrvRecord>> AresDns::srv(const std::string& name) {
  PB_TRY_VALUE(const std::string bytes, query(name, ns_t_srv));
  std::vector<SrvRecord> records;
  ares_srv_reply* first = nullptr;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  if (bytes.empty() || ares_parse_srv_reply(data, static_cast<int>(bytes.size()), &first) != ARES_SUCCESS)
    return records;
  const std::unique_ptr<ares_srv_reply, FreeReply<ares_srv_reply>> owner(first);
  for (const auto* next = first; next != nullptr; next = next->next)
    records.push_back(
        {next->priority, next->weight, next->port, next->host != nullptr ? next->host : std::string()});
  return records;
}

std::vector<Result<Addresses>> AresDns::addresses(const std::vector<std::string>& hosts, int family) {
  size_t pending = 0;
  std::vector<AddressAnswer> answers(hosts.size(), {&pending, ARES_ECANCELLED, {}});
  const ares_addrinfo_hints hints = hints_for(family);
  for (size_t i = 0; channel_ != nullptr && i < hosts.size(); ++i) {
    ++pending;
    ares_getaddrinfo(channel_, hosts[i].c_str(), nullptr, &hints, on_addresses, &answers[i]);
  }
  run(pending);
  std::vector<Result<Addresses>> results;
  for (AddressAnswer& answer : answers) {
    if (!answer.addresses.empty()) {
      results.emplace_back(std::move(answer.addresses));
    } else if (answer.status == ARES_ENODATA || answer.status == ARES_SUCCESS) {
      results.emplace_back(Error{Code::unavailable, "no address of the family that SIP listens on"});
    } else {
      results.emplace_back(failure(answer.status));
    }
  }
  return results;
}

Addresses AresDns::from_hosts_file(const std::string& host, int family) {
  ares_channel files = open_channel(true);
  if (files == nullptr) return {};
  size_t pending = 1;
  AddressAnswer answer{&pending, ARES_ECANCELLED, {}};
  const ares_addrinfo_hints hints = hints_for(family);
  ares_getaddrinfo(files, host.c_str(), nullptr, &hints, on_addresses, &answer);  // answers at once
  ares_destroy(files);
  return std::move(answer.addresses);
}

}  // namespace patchbay::sip_trunk
