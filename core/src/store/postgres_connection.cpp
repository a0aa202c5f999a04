#include "store/postgres_connection.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "store/column_cell.h"
#include "store/postgres_limits.h"

namespace patchbay::core {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::string_view kPlanIsOutdated = "0A000";  // feature_not_supported: a table has other columns now

int64_t count_of(const PostgresFunctions& pq, PGresult* result) {
  const std::string_view text = pq.cmdTuples(result);
  int64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

}  // namespace

PostgresStatement::PostgresStatement(PostgresLink& link, const Clock& clock, const Statement& statement,
                                     const bool* in_transaction)
    : link_(link),
      clock_(clock),
      in_transaction_(in_transaction),
      sql_(statement.sql),
      types_(statement.types.begin(), statement.types.end()),
      parameters_(statement.parameters),
      takes_clock_(statement.takes_clock),
      reads_(statement.reads) {}

Status PostgresStatement::send(const Values& values) {
  if (values.size() != static_cast<size_t>(parameters_))
    return {Code::misuse,
            "takes " + std::to_string(parameters_) + " values, got " + std::to_string(values.size())};
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].type == ValueType::text && values[i].data.find('\0') != std::string::npos)
      return {Code::invalid, "$" + std::to_string(i + 1) + " is text with a NUL"};
  if (prepared_on_ != link_.generation() || link_.lost_batch(prepared_in_)) {
    static std::atomic<uint64_t> last_name{0};
    name_ = "pb" + std::to_string(++last_name);
    PB_TRY(link_.send_prepare(name_, sql_, types_));
    prepared_on_ = link_.generation();
    prepared_in_ = link_.batch();
  }
  if (!takes_clock_) return link_.send_run(name_, values);
  Values with_clock = values;
  with_clock.emplace_back(clock_());
  return link_.send_run(name_, with_clock);
}

Status PostgresStatement::run_later(const Values& values) { return send(values); }

// Outside of a transaction a query is asked again when the connection was lost, and when its plan is
// outdated, because reading twice does no harm.
Result<PostgresResult> PostgresStatement::ask(const Values& values) {
  const bool alone = in_transaction_ == nullptr;
  for (int tries = 0;; ++tries) {
    if (alone) PB_TRY(link_.connect());
    Status sent = send(values);
    auto result = sent ? link_.wait() : Result<PostgresResult>(std::move(sent).error());
    if (result) return result;
    const bool outdated = link_.sql_state() == kPlanIsOutdated;
    if (outdated) prepared_on_ = 0;
    const bool again = alone && tries == 0 && !link_.timed_out() && (outdated || link_.may_pass());
    if (!again) return result;
  }
}

Result<int64_t> PostgresStatement::run(const Values& values, Rows* rows, size_t max_bytes) {
  PB_TRY_VALUE(const PostgresResult result, ask(values));
  const PostgresFunctions& pq = link_.functions();
  const int columns = pq.nfields(result.get()), count = pq.ntuples(result.get());
  if (rows != nullptr) {
    rows->start(static_cast<size_t>(columns));
    PostgresColumns cells(pq, result.get());
    for (int row = 0; row < count; ++row) {
      cells.go_to(row);
      for (int column = 0; column < columns; ++column) add_cell(cells, column, *rows);
      if (rows->byte_size() > max_bytes) return too_large_result(max_bytes);
    }
  }
  return reads_ ? count : count_of(pq, result.get());
}

Result<JsonRows> PostgresStatement::run_json(const Values& values, const JsonMembers& members,
                                             size_t max_bytes) {
  PB_TRY_VALUE(const PostgresResult result, ask(values));
  const PostgresFunctions& pq = link_.functions();
  const auto columns = static_cast<size_t>(pq.nfields(result.get()));
  if (columns != members.size())
    return {Code::misuse, "has " + std::to_string(columns) + " columns, but " +
                              std::to_string(members.size()) + " members"};
  JsonRows rows{"[", 0};
  PostgresColumns cells(pq, result.get());
  for (int row = 0; row < pq.ntuples(result.get()); ++row) {
    cells.go_to(row);
    if (row > 0) rows.text += ',';
    members.append_row(cells, rows.text);
    if (rows.text.size() > max_bytes) return too_large_result(max_bytes);
    ++rows.count;
  }
  rows.text += ']';
  return rows;
}

Result<std::unique_ptr<SqlStatement>> PostgresReader::prepare(const Statement& statement) {
  return std::unique_ptr<SqlStatement>(
      std::make_unique<PostgresStatement>(link_, *clock_, statement, nullptr));
}

void PostgresReader::limit(int64_t time_ms, const std::atomic<bool>& interrupted) {
  link_.forget_timeout();
  link_.set_deadline(Steady::now() + milliseconds(time_ms));
  link_.set_interrupt(&interrupted);
}

PostgresWriter::PostgresWriter(const PostgresFunctions& pq, PostgresLink::Options options,
                               std::shared_ptr<const Clock> clock)
    : clock_(std::move(clock)), link_(pq, std::move(options)) {
  link_.set_interrupt(&cancelled_);
}

Result<std::unique_ptr<SqlStatement>> PostgresWriter::prepare(const Statement& statement) {
  return std::unique_ptr<SqlStatement>(
      std::make_unique<PostgresStatement>(link_, *clock_, statement, &open_));
}

// A connection that the server has ended since its last use is noticed here only, so it is made again once.
Status PostgresWriter::begin() {
  may_run_again_ = uncertain_ = false;
  const bool was_connected = link_.connected();
  Status begun = start_transaction();
  if (begun || !was_connected || link_.connected()) return begun;
  return start_transaction();
}

Status PostgresWriter::start_transaction() {
  PB_TRY(link_.connect());
  PB_TRY(link_.send("BEGIN"));
  PB_TRY(link_.wait());
  ++number_;
  open_ = true;
  return {};
}

Status PostgresWriter::commit() {
  if (!in_transaction()) return {Code::unavailable, "the transaction was rolled back"};
  if (put_number_) PB_TRY(put_number_->run_later({node_, epoch_, number_}));
  PB_TRY(link_.send("COMMIT"));
  auto done = link_.wait();
  uncertain_ = !done && !link_.connected();
  if (!done) return std::move(done).error();
  if (std::string_view(link_.functions().cmdStatus(done->get())) != "COMMIT")
    return {Code::failed, "the server rolled the transaction back"};
  open_ = false;
  return {};
}

// Each transaction writes its number to this node's row, so that row tells whether it happened. Until the
// server answers, the callers of this group wait, because neither "done" nor "refused" would be true, and all
// others are refused.
Status PostgresWriter::settle(Error why) {
  if (!uncertain_ || !put_number_) {
    roll_back();
    return why;
  }
  open_ = false;
  hooks_.warn("the connection to PostgreSQL was lost during a commit: asking the server whether it happened");
  for (; !cancelled(); std::this_thread::sleep_for(milliseconds(kPostgresSettleMs))) {
    if (auto connected = link_.connect(); !connected) {
      hooks_.refuse_waiting(connected.error());
      continue;
    }
    const auto committed = did_commit();
    if (!committed) continue;
    if (*committed) return {};
    may_run_again_ = true;
    return why;
  }
  return {Code::unavailable,
          "whether the commit happened is not known, because the store was closed while "
          "PostgreSQL was away"};
}

// The lock waits for the end of the lost connection's transaction, which held it. The id of a transaction is
// no answer: a server that crashed may give the same id to another one.
Result<bool> PostgresWriter::did_commit() {
  PB_TRY(link_.send("BEGIN"));
  PB_TRY(link_.send("SELECT id FROM core_writer WHERE id = 1 FOR UPDATE"));
  PB_TRY(link_.send("SELECT last_commit FROM core_node WHERE id = $1 AND epoch = CAST($2 AS BIGINT)",
                    {node_, epoch_}));
  auto answer = link_.wait();
  if (answer && link_.functions().ntuples(answer->get()) != 1)
    answer = Error{Code::failed, "the row of this node is missing"};
  const bool committed = answer && PostgresColumns(link_.functions(), answer->get()).integer(0) == number_;
  if (link_.connected() && (!link_.send("ROLLBACK") || !link_.wait())) link_.disconnect();
  if (!answer) return std::move(answer).error();
  return committed;
}

void PostgresWriter::set_node(const std::string& name, int64_t epoch) {
  node_ = name;
  epoch_ = epoch;
  Statement put;
  put.sql = "UPDATE core_node SET last_commit = $3 WHERE id = $1 AND epoch = $2";
  put.parameters = 3;
  put_number_ = std::make_unique<PostgresStatement>(link_, *clock_, put, &open_);
}

void PostgresWriter::roll_back() {
  if (!open_) return;
  open_ = false;
  may_run_again_ = link_.may_pass();
  if (!link_.connected()) return;
  static_cast<void>(link_.wait());  // of what was sent but not awaited
  const bool passes = may_run_again_ || link_.may_pass();
  if (!link_.connected() || !link_.send("ROLLBACK") || !link_.wait()) link_.disconnect();
  may_run_again_ = passes;
}

Status PostgresWriter::undo_savepoint() {
  if (!link_.connected()) return {Code::unavailable, "the connection to PostgreSQL was lost"};
  PB_TRY(link_.send("ROLLBACK TO pb"));
  return link_.send("RELEASE pb");
}

// Also after an error of a command whose result was not awaited, because the savepoints are then not those
// that the writer counts, and after an error that ends the transaction for good.
bool PostgresWriter::is_broken() const {
  return link_.may_pass() || (!link_.sql_state().empty() && !link_.last_failed());
}

bool PostgresWriter::in_transaction() const { return open_ && link_.connected() && !is_broken(); }

void PostgresWriter::begin_task(int64_t budget_ms) {
  link_.forget_timeout();
  link_.set_deadline(Steady::now() + milliseconds(budget_ms));
}

}  // namespace patchbay::core
