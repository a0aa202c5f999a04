#include "isolation/session_tables.h"

#include <utility>

namespace patchbay::core::isolation {

SessionTables::SessionTables(HostContext& context, const Host& host, InterfaceShare& interfaces)
    : context_(context),
      link_(std::make_shared<Link>(context, host)),
      held_(host),
      services_(link_, held_, interfaces),
      store_(link_, held_),
      bus_(link_, held_),
      media_(link_, held_),
      observe_(context, link_) {
  context.begin_life();
}

// NOLINTNEXTLINE(readability-function-size): a table
bool SessionTables::take(Kind kind, Decoder& in, Descriptor fd) {
  switch (kind) {
    case Kind::provide:
      return services_.provide(in);
    case Kind::query:
    case Kind::open:
      return services_.lease(kind, in);
    case Kind::unlease:
      return services_.unlease(in);
    case Kind::watch:
      return services_.watch(in);
    case Kind::watch_end:
      return services_.watch_end(in);
    case Kind::describe:
      return services_.describe(in);
    case Kind::call:
      return services_.call(in);
    case Kind::reply:
      return services_.reply(in);
    case Kind::subscribe:
      return bus_.subscribe(in);
    case Kind::event:
      return bus_.publish(in);
    case Kind::port_create:
      return media_.create_port(in, std::move(fd));
    case Kind::close:
      held_.close(in.u64());
      return in.whole();
    case Kind::statement:
      return store_.statement(in);
    case Kind::read:
      return store_.read(in);
    case Kind::tx_share:
      return store_.share(in);
    case Kind::tx_add:
      return store_.add(in);
    case Kind::discard:
      return store_.discard(in);
    case Kind::commit:
      return store_.commit(in);
    case Kind::job_worker:
      return store_.job_worker(in);
    case Kind::consumer:
      return store_.consumer(in);
    case Kind::pending:
      return store_.pending(in);
    case Kind::seal:
    case Kind::unseal:
      return store_.seal(kind, in);
    case Kind::log:
      return observe_.log(in);
    case Kind::secret:
      return observe_.secret(in);
    case Kind::metric:
      return observe_.metric(in);
    case Kind::figures:
      return observe_.figures(in);
    case Kind::report:
      return observe_.report(in);
    default:
      return false;
  }
}

void SessionTables::end() {
  context_.end_life();
  services_.end();
  link_->shut();
  held_.close_all();
  store_.end();
  observe_.end();
}

}  // namespace patchbay::core::isolation
