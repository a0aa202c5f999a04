#include "local_engine.h"

#include "engine/async_session.h"
#include "local_conversation.h"

namespace patchbay::engine_local {

LocalEngine::LocalEngine(lib::IoThreads& io, Options options)
    : io_(io), options_(std::move(options)), recogniser_(options_.recogniser) {}

// Waits for the sessions' last tasks on the io threads, because they use the workers.
LocalEngine::~LocalEngine() { io_.drain(); }

bool LocalEngine::matches(std::string_view model) const {
  return model == "local" || model == "embedded" || model.starts_with("local-");
}

Result<std::unique_ptr<lib::Session>> LocalEngine::open(lib::IoThread& io, lib::SessionConfig config,
                                                        lib::SessionListener& listener) {
  auto conversation =
      LocalConversation::create(io, recogniser_, synthesiser_, options_, stats_, std::move(config), listener);
  return std::unique_ptr<lib::Session>(
      std::make_unique<lib::AsyncSession<LocalConversation>>(io, std::move(conversation)));
}

}  // namespace patchbay::engine_local
