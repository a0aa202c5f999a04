#include "support/postgres_server.h"

#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>
#include <vector>

namespace patchbay::test {
namespace {

const std::filesystem::path kPrograms = "/usr/lib/postgresql/15/bin";

// Runs the program, as user postgres under root; its output goes to `log`. Without runuser, which would be
// between this program and the server and stop itself when the server is stopped.
pid_t spawn(std::vector<std::string> words, const std::filesystem::path& log) {
  const passwd* user = ::geteuid() == 0 ? ::getpwnam("postgres") : nullptr;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = ::fork();
  if (child != 0) return child;
  ::setpgid(0, 0);
  int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (output < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0 || ::chdir("/") != 0) ::_exit(126);
  if (user != nullptr &&
      (::setgroups(0, nullptr) != 0 || ::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0))
    ::_exit(126);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // after setuid(), which resets it
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

bool is_alive(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const size_t state = text.rfind(") ");
  return state != std::string::npos && text[state + 2] != 'Z';
}

Error failed(const std::filesystem::path& log, const std::string& what) {
  std::string text = what + ":";
  if (FILE* file = std::fopen(log.c_str(), "r")) {
    char line[512];
    while (std::fgets(line, sizeof line, file)) text += std::string(" ") + line;
    std::fclose(file);
  }
  return {Code::failed, text};
}

Status of_result(pg_conn* connection, PGresult* result, ExecStatusType wanted) {
  ExecStatusType got = PQresultStatus(result);
  PQclear(result);
  if (got == wanted || (wanted == PGRES_COMMAND_OK && got == PGRES_TUPLES_OK)) return {};
  return {Code::failed, PQerrorMessage(connection)};
}

}  // namespace

Result<std::unique_ptr<Postgres>> Postgres::start() {
  std::unique_ptr<Postgres> postgres(new Postgres);
  PB_TRY(postgres->init());
  PB_TRY(postgres->launch());
  return postgres;
}

Status Postgres::init() {
  std::string pattern = (std::filesystem::temp_directory_path() / "patchbay-pg-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) return {Code::failed, "cannot make a temporary folder"};
  folder_ = pattern;
  std::filesystem::permissions(folder_, std::filesystem::perms(0777));  // the server runs as another user
  pid_t child = spawn({kPrograms / "initdb", "-D", folder_ / "data", "-U", "patchbay", "-A", "trust", "-E",
                       "UTF8", "--no-locale", "--no-sync"},
                      folder_ / "init.log");
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) return failed(folder_ / "init.log", "initdb (is postgresql-15 installed?)");
  return {};
}

Status Postgres::launch() {
  server_ = spawn({kPrograms / "postgres", "-D", folder_ / "data", "-k", folder_, "-c",
                   "listen_addresses=", "-c", "shared_buffers=16MB"},
                  folder_ / "server.log");
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < deadline) {
    if (PQping(conninfo().c_str()) == PQPING_OK) return {};
    if (::waitpid(server_, nullptr, WNOHANG) == server_) {
      server_ = -1;
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the server offers nothing to wait on
  }
  return failed(folder_ / "server.log", "postgres did not start");
}

// SIGQUIT stops the server at once, without writing.
void Postgres::crash() {
  if (server_ <= 0) return;
  thaw();
  ::kill(server_, SIGQUIT);
  ::waitpid(server_, nullptr, 0);
  server_ = -1;
}

std::vector<pid_t> Postgres::processes() const {
  std::vector<pid_t> found{server_};
  for (size_t next = 0; next < found.size(); ++next) {
    const std::string task = "/proc/" + std::to_string(found[next]) + "/task/" + std::to_string(found[next]);
    std::ifstream children(task + "/children");
    for (pid_t child = 0; children >> child;) found.push_back(child);
  }
  return found;
}

// Stops them first, so that no new process appears meanwhile.
void Postgres::kill_all() {
  if (server_ <= 0) return;
  freeze();
  const std::vector<pid_t> all = processes();
  for (const pid_t each : all) ::kill(each, SIGKILL);
  ::waitpid(server_, nullptr, 0);
  server_ = -1;
  for (const pid_t each : all)
    while (is_alive(each)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void Postgres::freeze() {
  for (const pid_t each : processes()) ::kill(each, SIGSTOP);
}

void Postgres::thaw() {
  for (const pid_t each : processes()) ::kill(each, SIGCONT);
}

Postgres::~Postgres() {
  crash();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

std::string Postgres::conninfo() const {
  return "host=" + folder_.string() + " user=patchbay dbname=postgres connect_timeout=10";
}

std::string Postgres::url() const {
  std::string folder;
  for (const char c : folder_.string()) folder += c == '/' ? std::string("%2F") : std::string(1, c);
  return "postgresql://patchbay@" + folder + "/postgres";
}

Result<std::unique_ptr<PostgresClient>> PostgresClient::connect(const std::string& conninfo) {
  std::unique_ptr<PostgresClient> client(new PostgresClient);
  client->connection_ = PQconnectdb(conninfo.c_str());
  if (PQstatus(client->connection_) != CONNECTION_OK)
    return {Code::failed, PQerrorMessage(client->connection_)};
  return client;
}

PostgresClient::~PostgresClient() { PQfinish(connection_); }

Status PostgresClient::run(const std::string& sql) {
  return of_result(connection_, PQexec(connection_, sql.c_str()), PGRES_COMMAND_OK);
}

Result<std::string> PostgresClient::value(const std::string& sql) {
  PGresult* result = PQexec(connection_, sql.c_str());
  const bool good = PQresultStatus(result) == PGRES_TUPLES_OK;
  std::string value = good && PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
  PQclear(result);
  if (!good) return {Code::failed, PQerrorMessage(connection_)};
  return value;
}

Result<std::vector<std::vector<std::string>>> PostgresClient::rows(const std::string& sql) {
  PGresult* result = PQexec(connection_, sql.c_str());
  const bool good = PQresultStatus(result) == PGRES_TUPLES_OK;
  std::vector<std::vector<std::string>> all;
  for (int row = 0; good && row < PQntuples(result); ++row) {
    all.emplace_back();
    for (int column = 0; column < PQnfields(result); ++column)
      all.back().emplace_back(PQgetvalue(result, row, column));
  }
  PQclear(result);
  if (!good) return {Code::failed, PQerrorMessage(connection_)};
  return all;
}

Status PostgresClient::check(const std::string& sql) {
  PB_TRY(
      of_result(connection_, PQprepare(connection_, "checked", sql.c_str(), 0, nullptr), PGRES_COMMAND_OK));
  return run("DEALLOCATE checked");
}

}  // namespace patchbay::test
