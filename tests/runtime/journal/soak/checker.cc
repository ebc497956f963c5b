#include "tests/runtime/journal/soak/checker.h"

#include <sqlite3.h>

#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "tests/runtime/journal/soak/ledger.h"
#include "tests/runtime/journal/soak/worker.h"

namespace gibbous::soak {
namespace {

constexpr std::size_t kMostTold = 20;

struct Item {
  std::string type;
  std::string payload;
};

struct Run {
  std::int64_t number = 0;
  std::string session;
  std::string status;
  std::int64_t attempt = 0;
  bool safe = false;
  bool finished = false;
  std::int64_t last_seq = 0;
  std::map<std::uint64_t, Item> items;
  std::set<std::int64_t> started;  // attempts
  std::string settled;
};

bool is_end(const std::string& status) {
  static const std::set<std::string> kEnds = {"completed", "failed", "killed", "timeout", "lost"};
  return kEnds.count(status) != 0;
}

class Checker {
 public:
  Checker(const std::string& directory, bool by_lease)
      : directory_(directory), by_lease_(by_lease) {}
  Findings check();

 private:
  using Row = std::vector<std::string>;
  void wrong(const std::string& what) {
    if (found_.wrongs++ < kMostTold) found_.wrong.push_back(what);
  }
  void query(const char* sql, const std::function<void(const Row&)>& on_row);
  void read_runs();
  void read_items();
  void read_ledger();
  void line(const std::string& word, std::istringstream& rest);
  void on_start(const std::string& id, Run& run, std::int64_t attempt, const std::string& session,
                const std::string& worker);
  void on_ack(const std::string& id, Run& run, std::istringstream& rest);
  void on_settled(const std::string& id, Run& run, const std::string& status);
  void check_run(const std::string& id, const Run& run);
  void check_items(const std::string& id, const Run& run);

  const std::string directory_;
  const bool by_lease_;
  std::unordered_map<std::string, Run> runs_;
  struct Going {
    std::string run;
    std::string worker;
  };
  std::unordered_map<std::string, Going> going_;         // by session
  std::unordered_map<std::string, std::int64_t> front_;  // number of the last start, by session
  Findings found_;
};

void Checker::query(const char* sql, const std::function<void(const Row&)>& on_row) {
  sqlite3* database = nullptr;
  const std::string path = directory_ + kStateName + "/sessions.db";
  char* error = nullptr;
  const auto call = [](void* to, int count, char** values, char**) {
    Row row;
    for (int i = 0; i < count; ++i) row.emplace_back(values[i] == nullptr ? "" : values[i]);
    (*static_cast<const std::function<void(const Row&)>*>(to))(row);
    return 0;
  };
  void* to = const_cast<std::function<void(const Row&)>*>(&on_row);
  if (sqlite3_open(path.c_str(), &database) != SQLITE_OK ||
      sqlite3_exec(database, sql, call, to, &error) != SQLITE_OK) {
    wrong(std::string("SQL: ") + (error == nullptr ? sqlite3_errmsg(database) : error));
  }
  sqlite3_free(error);
  sqlite3_close(database);
}

void Checker::read_runs() {
  query("PRAGMA integrity_check(1)", [this](const Row& row) {
    if (row[0] != "ok") wrong("integrity: " + row[0]);
  });
  query(
      "SELECT run_id, number, session_id, status, attempt, safe_to_repeat,"
      " finished_at IS NOT NULL, last_seq FROM exec_runs",
      [this](const Row& row) {
        Run& run = runs_[row[0]];
        if (run.number != 0) wrong("twice in exec_runs: " + row[0]);
        run.number = std::stoll(row[1]);
        run.session = row[2];
        run.status = row[3];
        run.attempt = std::stoll(row[4]);
        run.safe = row[5] == "1";
        run.finished = row[6] == "1";
        run.last_seq = std::stoll(row[7]);
      });
  query("SELECT count(*) FROM run_requests WHERE answered_at IS NULL", [this](const Row& row) {
    if (row[0] != "0") wrong("requests without an answer: " + row[0]);
  });
  query("SELECT count(*) FROM workers", [this](const Row& row) {
    if (row[0] != "0") wrong("workers that were not forgotten: " + row[0]);
  });
}

void Checker::read_items() {
  query("SELECT run_id, seq, item_type, payload FROM exec_run_items", [this](const Row& row) {
    const auto run = runs_.find(row[0]);
    if (run == runs_.end()) return wrong("an item of no run: " + row[0]);
    auto& items = run->second.items;
    const std::uint64_t seq = std::stoull(row[1]);
    if (!items.empty() && items.rbegin()->first >= seq) {
      wrong("not once and in order: " + row[0] + " " + row[1]);
    }
    items[seq] = {row[2], row[3]};
    ++found_.items;
  });
}

void Checker::read_ledger() {
  std::ifstream file(directory_ + kLedgerName);
  for (std::string text; std::getline(file, text);) {
    std::istringstream rest(text);
    std::string word;
    rest >> word;
    line(word, rest);
  }
}

void Checker::line(const std::string& word, std::istringstream& rest) {
  std::string name;
  rest >> name;
  if (word == "dead") {
    for (auto going = going_.begin(); going != going_.end();) {
      going = going->second.worker == name ? going_.erase(going) : std::next(going);
    }
    return;
  }
  if (word == "problem") return wrong("a worker had a problem: " + name + rest.str());
  const auto found = runs_.find(name);
  if (found == runs_.end()) return wrong(word + " of a run that is not there: " + name);
  Run& run = found->second;
  std::string text;
  std::int64_t attempt = 0;
  if (word == "refused") {
    ++found_.refused;
    if (!by_lease_) wrong("refused although no worker slept: " + rest.str());
  } else if (word == "start") {
    std::string worker;
    rest >> attempt >> text >> worker;
    on_start(name, run, attempt, text, worker);
  } else if (word == "end") {
    going_.erase(run.session);
  } else if (word == "ack") {
    on_ack(name, run, rest);
  } else if (word == "settled") {
    rest >> text;
    on_settled(name, run, text);
  }
}

void Checker::on_start(const std::string& id, Run& run, std::int64_t attempt,
                       const std::string& session, const std::string& worker) {
  ++found_.executions;
  if (!run.started.insert(attempt).second) {
    wrong("executed twice: " + id + " attempt " + std::to_string(attempt));
  }
  if (attempt > 1 && !run.safe) wrong("repeated although it is not safe: " + id);
  if (attempt > run.attempt) wrong("an attempt that the journal does not know: " + id);
  if (by_lease_) return;
  if (!run.settled.empty()) wrong("started after its end: " + id);
  if (const auto other = going_.find(session); other != going_.end()) {
    wrong("started beside " + other->second.run + " of its session: " + id);
  }
  going_[session] = {id, worker};
  std::int64_t& front = front_[session];
  if (run.number < front) wrong("started after a later run of its session: " + id);
  front = run.number;
}

void Checker::on_ack(const std::string& id, Run& run, std::istringstream& rest) {
  std::int64_t attempt = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  rest >> attempt >> from >> to;
  for (std::uint64_t seq = from; seq <= to; ++seq) {
    ++found_.acknowledged;
    const auto item = run.items.find(seq);
    if (item == run.items.end() || item->second.payload != payload_of(id, attempt, seq)) {
      wrong("acknowledged and not there: " + id + " " + std::to_string(seq));
    }
  }
}

void Checker::on_settled(const std::string& id, Run& run, const std::string& status) {
  ++found_.settled;
  if (!run.settled.empty()) wrong("ended twice: " + id + " " + run.settled + ", " + status);
  run.settled = status;
  if (run.status != status) wrong("ended as " + status + ", the journal says " + run.status);
}

void Checker::check_items(const std::string& id, const Run& run) {
  std::uint64_t expected = 0;
  std::int64_t last_attempt = 0;
  for (const auto& [seq, item] : run.items) {
    if (seq != ++expected)
      return wrong("an item is missing: " + id + " before " + std::to_string(seq));
    if (item.type == "note" && by_lease_) {
      // It names what is missing up to the next one.
      const std::size_t to = item.payload.find(" to ");
      if (to != std::string::npos) expected = std::stoull(item.payload.substr(to + 4));
      continue;
    }
    // run/attempt/seq/…: of one attempt after the other.
    const std::int64_t attempt = std::atoll(item.payload.c_str() + id.size() + 1);
    if (item.payload != payload_of(id, attempt, seq)) wrong("another's payload: " + id);
    if (attempt < last_attempt) wrong("an item of an attempt that was over: " + id);
    if (run.started.count(attempt) == 0) wrong("an item of an attempt that never was: " + id);
    last_attempt = attempt;
  }
  if (static_cast<std::int64_t>(expected) != run.last_seq) wrong("last_seq is another: " + id);
}

void Checker::check_run(const std::string& id, const Run& run) {
  ++found_.runs;
  ++found_.by_status[run.status];
  found_.repeated += run.started.size() > 1 ? 1 : 0;
  if (!is_end(run.status) || !run.finished) wrong("never ended: " + id + " " + run.status);
  const bool executed = run.status == "completed" || run.status == "failed";
  if (executed && run.started.empty()) wrong("ended and was never executed: " + id);
  if (run.status == "lost" && run.safe) wrong("lost although it could be repeated: " + id);
  check_items(id, run);
}

Findings Checker::check() {
  read_runs();
  read_items();
  read_ledger();
  for (const auto& [id, run] : runs_) check_run(id, run);
  return std::move(found_);
}

}  // namespace

Findings check_soak(const std::string& directory, bool by_lease) {
  return Checker(directory, by_lease).check();
}

}  // namespace gibbous::soak
