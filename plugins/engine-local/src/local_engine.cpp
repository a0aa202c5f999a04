#include "local/local_engine.h"

#include "io_session.h"
#include "local/local_conversation.h"

namespace patchbay::ai_voice::local {

LocalEngine::LocalEngine(lib::IoThread& io, Options options)
    : io_(io), options_(std::move(options)), recogniser_(options_.recogniser) {}

// Sessions let go of the workers on the io thread.
LocalEngine::~LocalEngine() { io_.drain(); }

bool LocalEngine::matches(std::string_view model) const {
  return model == "local" || model == "embedded" || model.substr(0, 6) == "local-";
}

Result<std::unique_ptr<Session>> LocalEngine::open(SessionConfig config, SessionListener& listener) {
  auto conversation = LocalConversation::create(io_, recogniser_, synthesiser_, options_, stats_,
                                                std::move(config), listener);
  return std::unique_ptr<Session>(
      std::make_unique<IoSession<LocalConversation>>(io_, std::move(conversation)));
}

}  // namespace patchbay::ai_voice::local
