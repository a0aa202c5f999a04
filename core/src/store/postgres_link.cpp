#include "store/postgres_link.h"

#include <patchbay/hex.h>
#include <patchbay/text.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "store/postgres_limits.h"

namespace patchbay::core {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

// PostgreSQL's types, as in its pg_type.dat.
constexpr Oid kBool = 16, kBytea = 17, kInt8 = 20, kInt2 = 21, kInt4 = 23, kOid = 26, kFloat4 = 700,
              kFloat8 = 701, kNumeric = 1700;

// libpq ends messages with a newline, and writes several lines.
std::string one_line(const char* message) {
  std::string line(trim(message ? message : ""));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

bool begins(const std::string& state, std::string_view with) {
  return state.compare(0, with.size(), with) == 0;
}

// By SQLSTATE.
Code code_of_state(const std::string& state) {
  if (state == "57014") return Code::timeout;    // query_canceled
  if (state == "42501") return Code::denied;     // insufficient_privilege
  if (state == "53200") return Code::exhausted;  // out_of_memory
  if (begins(state, "23")) return Code::conflict;
  if (begins(state, "22")) return Code::invalid;
  if (begins(state, "54")) return Code::exhausted;
  for (const char* away : {"08", "25", "40", "53", "55", "57", "58", "XX"})
    if (begins(state, away)) return Code::unavailable;
  return Code::failed;
}

// Parameters as libpq takes them: bytes in binary, all else as text.
struct Encoded {
  explicit Encoded(const Values& values) {
    numbers.reserve(values.size());
    for (const Value& value : values) add(value);
  }

  void add(const Value& value) {
    constexpr size_t kNumberOctets = 32;
    lengths.push_back(static_cast<int>(value.data.size()));
    formats.push_back(value.type == ValueType::bytes ? 1 : 0);
    if (value.type == ValueType::null) return texts.push_back(nullptr);
    if (value.type == ValueType::text || value.type == ValueType::bytes)
      return texts.push_back(value.data.c_str());
    std::string& number = numbers.emplace_back(kNumberOctets, '\0');
    const auto end = value.type == ValueType::integer
                         ? std::to_chars(number.data(), number.data() + kNumberOctets, value.integer).ptr
                         : std::to_chars(number.data(), number.data() + kNumberOctets, value.real).ptr;
    number.resize(static_cast<size_t>(end - number.data()));
    texts.push_back(number.c_str());
  }
  int count() const { return static_cast<int>(texts.size()); }

  std::vector<std::string> numbers;  // reserved, so that texts may point into it
  std::vector<const char*> texts;
  std::vector<int> lengths, formats;
};

// Notices ("there is no transaction in progress") would go to standard error.
void ignore_notice(void*, const PGresult*) {}

}  // namespace

PostgresLink::PostgresLink(const PostgresFunctions& pq, Options options)
    : pq_(pq), options_(std::move(options)) {}

PostgresLink::~PostgresLink() { disconnect(); }

void PostgresLink::disconnect() {
  if (connection_ != nullptr) pq_.finish(connection_);
  connection_ = nullptr;
  cancelled_ = {};
  waiting_ = 0;
  lost_batches_.clear();
}

Status PostgresLink::check(const PostgresFunctions& pq, const std::string& conninfo) {
  PQconninfoOption* parsed = pq.conninfoParse(conninfo.c_str(), nullptr);
  if (parsed == nullptr) return {Code::invalid, "is not a connection string of PostgreSQL"};
  pq.conninfoFree(parsed);
  return {};
}

Status PostgresLink::connect() {
  if (connection_ != nullptr) return {};
  if (Steady::now() < retry_at_) return {Code::unavailable, why_away_};
  Status opened = open();
  if (opened) {
    retry_ms_ = 0;
    return {};
  }
  disconnect();
  retry_ms_ = std::clamp(retry_ms_ * 2, kPostgresMinRetryMs, kPostgresMaxRetryMs);
  retry_at_ = Steady::now() + milliseconds(retry_ms_);
  why_away_ = opened.error().text;
  return opened;
}

Status PostgresLink::open() {
  PQconninfoOption* parsed = pq_.conninfoParse(options_.conninfo.c_str(), nullptr);
  if (parsed == nullptr)
    return {Code::invalid, "the store's address is not a connection string of PostgreSQL"};
  std::vector<const char*> keys, values;
  const auto add = [&](const char* key, const char* value) {
    keys.push_back(key);
    values.push_back(value);
  };
  static constexpr std::pair<const char*, const char*> kDefaults[] = {
      {"connect_timeout", kPostgresConnectTimeoutS}, {"tcp_user_timeout", kPostgresTcpUserTimeoutMs},
      {"keepalives_idle", kPostgresKeepaliveIdleS},  {"keepalives_interval", kPostgresKeepaliveIntervalS},
      {"keepalives_count", kPostgresKeepaliveCount}, {"target_session_attrs", "read-write"},
      {"fallback_application_name", "patchbay"},     {"client_encoding", "UTF8"}};
  for (const auto& [key, value] : kDefaults) add(key, value);
  for (const PQconninfoOption* option = parsed; option->keyword != nullptr; ++option)  // a later key wins
    if (option->val != nullptr) add(option->keyword, option->val);
  if (!options_.password.empty()) add("password", options_.password.c_str());
  add(nullptr, nullptr);
  connection_ = pq_.connectdbParams(keys.data(), values.data(), 0);
  pq_.conninfoFree(parsed);
  if (connection_ == nullptr) return {Code::exhausted, "out of memory"};
  if (pq_.status(connection_) != CONNECTION_OK)
    return {Code::unavailable, "PostgreSQL cannot be reached: " + one_line(pq_.errorMessage(connection_))};
  if (pq_.serverVersion(connection_) < kMinPostgresVersion)
    return {Code::unsupported, "the PostgreSQL server is older than version 15"};
  return set_up();
}

Status PostgresLink::set_up() {
  pq_.setNoticeReceiver(connection_, ignore_notice, nullptr);
  if (pq_.setnonblocking(connection_, 1) != 0 || pq_.enterPipelineMode(connection_) != 1)
    return {Code::failed, "the connection cannot be set up: " + one_line(pq_.errorMessage(connection_))};
  ++generation_;
  const std::string settings =
      "SELECT set_config('statement_timeout', '" + std::to_string(options_.statement_timeout_ms) +
      "', false), set_config('lock_timeout', '" + std::to_string(options_.lock_timeout_ms) +
      "', false), set_config('idle_in_transaction_session_timeout', '" +
      std::to_string(kPostgresIdleInTransactionMs) +
      "', false), set_config('standard_conforming_strings', 'on', false), "
      "set_config('bytea_output', 'hex', false), set_config('jit', 'off', false), "
      "set_config('extra_float_digits', '3', false), "
      "set_config('default_transaction_isolation', 'read committed', false), "
      "set_config('default_transaction_read_only', '" +
      std::string(options_.reads ? "on" : "off") + "', false), set_config('synchronous_commit', CASE WHEN " +
      (options_.scratch ? "true THEN 'off'" : "current_setting('synchronous_commit') = 'off' THEN 'on'") +
      " ELSE current_setting('synchronous_commit') END, false)";
  PB_TRY(send(settings.c_str()));
  const Moment before = std::exchange(deadline_, Moment::max());
  auto done = wait();
  deadline_ = before;
  if (!done) return std::move(done).error();
  return {};
}

Status PostgresLink::sent(int result) {
  if (result == 1) {
    ++waiting_;
    return {};
  }
  return lost(one_line(pq_.errorMessage(connection_)));
}

Status PostgresLink::send(const char* sql) { return send(sql, {}); }

Status PostgresLink::send(const char* sql, const Values& values) {
  if (connection_ == nullptr) return {Code::unavailable, "the connection to PostgreSQL was lost"};
  const Encoded to(values);
  return sent(pq_.sendQueryParams(connection_, sql, to.count(), nullptr, to.texts.data(), to.lengths.data(),
                                  to.formats.data(), 0));
}

Status PostgresLink::send_prepare(const std::string& name, const std::string& sql,
                                  const std::vector<Oid>& types) {
  if (connection_ == nullptr) return {Code::unavailable, "the connection to PostgreSQL was lost"};
  batch_prepares_ = true;
  return sent(pq_.sendPrepare(connection_, name.c_str(), sql.c_str(), static_cast<int>(types.size()),
                              types.empty() ? nullptr : types.data()));
}

Status PostgresLink::send_describe(const std::string& name) {
  if (connection_ == nullptr) return {Code::unavailable, "the connection to PostgreSQL was lost"};
  return sent(pq_.sendDescribePrepared(connection_, name.c_str()));
}

Status PostgresLink::send_run(const std::string& name, const Values& values) {
  if (connection_ == nullptr) return {Code::unavailable, "the connection to PostgreSQL was lost"};
  const Encoded to(values);
  return sent(pq_.sendQueryPrepared(connection_, name.c_str(), to.count(), to.texts.data(), to.lengths.data(),
                                    to.formats.data(), 0));
}

Error PostgresLink::lost(const std::string& why) {
  disconnect();
  may_pass_ = true;
  last_failed_ = false;
  sql_state_ = "08006";  // connection_failure
  return {Code::unavailable, "the connection to PostgreSQL was lost" + (why.empty() ? why : ": " + why)};
}

Result<PostgresResult> PostgresLink::wait(const std::function<void(const PGresult*)>& each) {
  if (connection_ == nullptr) return {Code::unavailable, "the connection to PostgreSQL was lost"};
  last_failed_ = may_pass_ = cancel_sent_ = false;
  sql_state_.clear();
  if (pq_.pipelineSync(connection_) != 1) return lost(one_line(pq_.errorMessage(connection_)));
  const size_t commands = std::exchange(waiting_, 0);
  const uint64_t batch = batch_++;
  const bool prepares = std::exchange(batch_prepares_, false);
  size_t seen = 0;
  PostgresResult last(nullptr, {&pq_});
  std::optional<Error> failed;
  const Moment limit = Steady::now() + milliseconds(kPostgresPatienceMs);
  for (;;) {
    if (wait_for_input(limit) == Waited::lost)
      return lost(connection_ == nullptr ? "" : one_line(pq_.errorMessage(connection_)));
    PostgresResult result(pq_.getResult(connection_), {&pq_});
    if (!result) continue;  // the end of one command's results
    const ExecStatusType status = pq_.resultStatus(result.get());
    if (status == PGRES_PIPELINE_SYNC) break;
    ++seen;
    if (status == PGRES_PIPELINE_ABORTED) continue;
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      if (!failed) last_failed_ = seen == commands;
      if (!failed) failed = error_of(result.get());
      continue;
    }
    if (each) each(result.get());
    last = std::move(result);
  }
  if (!end_cancel()) return lost("");
  if (!failed) return last;
  if (prepares) lost_batches_.insert(batch);
  // The server ends the connection after these.
  if (begins(sql_state_, "57P") || begins(sql_state_, "08") || begins(sql_state_, "25P03"))
    return lost(failed->text);
  return *std::move(failed);
}

Result<std::vector<std::string>> PostgresLink::take_notifications() {
  std::vector<std::string> payloads;
  if (connection_ == nullptr) return payloads;
  if (pq_.consumeInput(connection_) != 1) return lost(one_line(pq_.errorMessage(connection_)));
  while (PGnotify* notified = pq_.notifies(connection_)) {
    payloads.emplace_back(notified->extra);
    pq_.freemem(notified);
  }
  return payloads;
}

// Waits until a result can be read without waiting.
PostgresLink::Waited PostgresLink::wait_for_input(Moment limit) {
  int unsent = pq_.flush(connection_);
  while (unsent >= 0) {
    if (unsent == 0 && pq_.isBusy(connection_) == 0) return Waited::ready;
    const Moment now = Steady::now();
    const bool interrupted = interrupted_ != nullptr && interrupted_->load(std::memory_order_relaxed);
    if (cancel_sent_) {
      if (now > cancelled_at_ + milliseconds(kPostgresCancelMs)) return Waited::lost;
    } else if (interrupted || now > deadline_) {
      cancel_running();
    } else if (deadline_ == Moment::max() && now > limit) {
      return Waited::lost;
    }
    pollfd ready{pq_.socket(connection_), static_cast<short>(POLLIN | (unsent > 0 ? POLLOUT : 0)), 0};
    if (::poll(&ready, 1, static_cast<int>(kPostgresPollMs)) > 0 && pq_.consumeInput(connection_) != 1)
      return Waited::lost;
    unsent = pq_.flush(connection_);
  }
  return Waited::lost;
}

// On a thread of its own, because libpq waits without a limit for a server that stands still.
void PostgresLink::cancel_running() {
  cancel_sent_ = timed_out_ = true;
  cancelled_at_ = Steady::now();
  const std::shared_ptr<PGcancel> to(pq_.getCancel(connection_), pq_.freeCancel);
  std::packaged_task<void()> request([&pq = pq_, to] {  // uses nothing of this object
    char ignored[256];
    if (to) static_cast<void>(pq.cancel(to.get(), ignored, sizeof ignored));
  });
  cancelled_ = request.get_future();
  try {
    std::thread(std::move(request)).detach();
  } catch (const std::system_error&) {
    return;  // no thread is left: then the connection counts as lost after a moment
  }
}

// Otherwise a request that is still under way could cancel the next command.
bool PostgresLink::end_cancel() {
  if (!cancelled_.valid()) return true;
  return std::exchange(cancelled_, {}).wait_until(cancelled_at_ + milliseconds(kPostgresCancelMs)) ==
         std::future_status::ready;
}

Error PostgresLink::error_of(const PGresult* result) {
  const char* state = pq_.resultErrorField(result, PG_DIAG_SQLSTATE);
  sql_state_ = state ? state : "";
  may_pass_ = sql_state_ == "40001" || sql_state_ == "40P01";  // serialisation failure, deadlock
  const Code code = code_of_state(sql_state_);
  if (code == Code::timeout) {
    timed_out_ = true;
    return {code, "took too long and was interrupted"};
  }
  std::string text = one_line(pq_.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
  return {code, std::move(text)};
}

std::string_view PostgresColumns::raw(int column) const {
  return {pq_.getvalue(result_, row_, column), static_cast<size_t>(pq_.getlength(result_, row_, column))};
}

ValueType PostgresColumns::type(int column) const {
  if (pq_.getisnull(result_, row_, column) != 0) return ValueType::null;
  switch (pq_.ftype(result_, column)) {
    case kBool:
    case kInt8:
    case kInt2:
    case kInt4:
    case kOid:
      return ValueType::integer;
    case kFloat4:
    case kFloat8:
      return ValueType::real;
    case kNumeric:
      return raw(column).find('.') == std::string_view::npos ? ValueType::integer : ValueType::real;
    case kBytea:
      return ValueType::bytes;
    default:
      return ValueType::text;
  }
}

int64_t PostgresColumns::integer(int column) const {
  const std::string_view text = raw(column);
  if (text == "t") return 1;
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

double PostgresColumns::real(int column) const { return std::strtod(raw(column).data(), nullptr); }

std::string_view PostgresColumns::data(int column) const {
  std::string_view text = raw(column);
  if (pq_.ftype(result_, column) != kBytea) return text;
  if (text.substr(0, 2) == "\\x") text.remove_prefix(2);
  bytes_ = from_hex(text).value_or("");
  return bytes_;
}

}  // namespace patchbay::core
