#include "isolation/session_dispatcher.h"

#include <utility>

namespace patchbay::core::isolation {

SessionDispatcher::SessionDispatcher(HostContext& context, const Host& host, InterfaceShare& interfaces)
    : context_(context),
      link_(std::make_shared<SessionLink>(context, host)),
      held_(host),
      calls_(link_, held_),
      services_(link_, held_, interfaces),
      store_(link_, calls_),
      media_(link_, held_),
      observe_(context, link_) {
  context.begin_life();
}

bool SessionDispatcher::take(Kind kind, Decoder& in, Descriptor fd) {
  switch (kind) {
    case Kind::host_call:
      return calls_.take(in);
    case Kind::provide:
      return services_.provide(in);
    case Kind::describe:
      return services_.describe(in);
    case Kind::call:
      return services_.call(in);
    case Kind::reply:
      return services_.reply(in);
    case Kind::tx_share:
      return store_.share(in);
    case Kind::tx_add:
      return store_.add(in);
    case Kind::discard:
      return store_.discard(in);
    case Kind::commit:
      return store_.commit(in);
    case Kind::port_create:
      return media_.create_port(in, std::move(fd));
    case Kind::secret:
      return observe_.secret(in);
    case Kind::metric:
      return observe_.metric(in);
    case Kind::metric_values:
      return observe_.metric_values(in);
    default:
      return false;
  }
}

void SessionDispatcher::end() {
  context_.end_life();
  services_.end();
  link_->close();
  held_.close_all();
  store_.end();
  observe_.end();
}

}  // namespace patchbay::core::isolation
