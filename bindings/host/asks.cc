// Each call opens the files of the state directory itself.
#include "gibbous/asks.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "bindings/host/ask_files.h"
#include "bindings/host/ask_record.h"
#include "bindings/host/places.h"
#include "bindings/json/text.h"
#include "runtime/base/random_id.h"
#include "runtime/base/sha256.h"
#include "runtime/process/ancestry.h"
#include "runtime/process/pid_space.h"

namespace gibbous {
namespace {

using host::AskFiles;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{20};

Result<AskFiles> opened(const std::string& state_dir) {
  std::error_code error;
  AskFiles files(state_dir.empty() ? host::default_state_directory()
                                   : std::filesystem::absolute(state_dir, error).string());
  if (Status status = files.open(false); !status) return status;
  return files;
}

std::string quoted(std::string_view id) {
  return "'" + std::string(id) + "'";
}

Status not_found(std::string_view id) {
  return Status::error("ask_not_found", "there is no open question " + quoted(id) +
                                            "; 'gibbous asks' lists those that wait for a person");
}

struct Seen {
  std::string text;
  OpenAsk ask;
};

// Nothing when its host has gone: the lock may outlive it in a child.
std::optional<Seen> open_question(const AskFiles& files, const std::string& id) {
  auto question = files.question(id);
  if (!question || !question->alive) return std::nullopt;
  host::AskRecord record = host::decode_ask(question->body);
  if (record.shown.ask.id != id) return std::nullopt;
  if (is_tagged_process_alive(record.host) == false) return std::nullopt;
  return Seen{std::move(question->body), std::move(record.shown)};
}

Status answered(const AskOutcome& outcome) {
  std::string text = "question " + outcome.id;
  if (outcome.decision == "ended") {
    text += " is over: its call or its host has ended";
  } else if (outcome.decision == "expired") {
    text += " is over: nobody answered it in time";
  } else {
    text += " was already answered: " + outcome_text(outcome);
  }
  return Status::error("ask_answered", text);
}

// The id of which `prefix` is the beginning.
Result<std::string> named(const AskFiles& files, std::string_view prefix) {
  std::vector<std::string> found;
  for (const char* suffix : {".ask", ".done"}) {
    for (std::string& id : files.ids(suffix)) {
      if (prefix.empty() || !id.starts_with(prefix)) continue;
      if (std::find(found.begin(), found.end(), id) == found.end()) found.push_back(std::move(id));
    }
    // What is open goes before what was.
    if (!found.empty()) break;
  }
  if (found.empty()) return not_found(prefix);
  if (found.size() == 1) return found.front();
  return Status::error("ask_ambiguous", "more than one question's id begins with " +
                                            quoted(prefix) + "; give more of it");
}

Result<Seen> find(const AskFiles& files, std::string_view prefix) {
  const Result<std::string> id = named(files, prefix);
  if (!id) return id.status();
  if (auto seen = open_question(files, *id)) return std::move(*seen);
  if (const auto end = files.outcome(*id)) return answered(host::decode_end(*end).outcome);
  return Status::error("ask_not_found", "the host of question " + *id + " has ended");
}

// Nothing was ever asked there.
bool nothing_there(const Status& status) {
  return status.code() == "state_dir_missing";
}

Status check_answer(const OpenAsk& open, const AskAnswer& answer) {
  using About = AskAnswer::About;
  if (answer.no_approver) {
    return Status::error("invalid_arguments", "allow: expected true or false");
  }
  if (!answer.allow || answer.about == About::kCommand) return {};
  if (answer.about == About::kRule && !open.ask.may_approve_rules) {
    return Status::error("invalid_arguments",
                         "about: what asks here can be approved for this very command only, not as "
                         "a rule");
  }
  if (answer.about == About::kPrefix && open.ask.prefix.empty()) {
    return Status::error("invalid_arguments", "about: this command offers no prefix");
  }
  return {};
}

}  // namespace

Result<std::vector<OpenAsk>> list_asks(const std::string& state_dir) {
  auto files = opened(state_dir);
  std::vector<OpenAsk> asks;
  if (!files) return nothing_there(files.status()) ? Result(std::move(asks)) : files.status();
  for (const std::string& id : files->ids(".ask")) {
    if (auto seen = open_question(*files, id)) asks.push_back(std::move(seen->ask));
  }
  std::sort(asks.begin(), asks.end(), [](const OpenAsk& a, const OpenAsk& b) {
    return a.opened != b.opened ? a.opened < b.opened : a.ask.id < b.ask.id;
  });
  return asks;
}

Result<OpenAsk> find_ask(const std::string& state_dir, std::string_view id) {
  auto files = opened(state_dir);
  if (!files) return nothing_there(files.status()) ? not_found(id) : files.status();
  Result<Seen> seen = find(*files, id);
  if (!seen) return seen.status();
  return std::move(seen->ask);
}

Result<AskOutcome> answer_ask(const std::string& state_dir, std::string_view id,
                              const AskAnswer& answer, std::chrono::milliseconds patience) {
  if (is_inside_run()) {
    return Status::error("inside_run",
                         "this process belongs to a run: questions are answered by a person, in a "
                         "terminal of their own");
  }
  auto files = opened(state_dir);
  if (!files) return nothing_there(files.status()) ? not_found(id) : files.status();
  Result<Seen> seen = find(*files, id);
  if (!seen) return seen.status();
  if (Status status = check_answer(seen->ask, answer); !status) return status;
  const std::string name = seen->ask.ask.id;
  const host::AskReply reply{sha256_hex(seen->text), random_id() + random_id(), answer};
  const Status put = files->put_answer(name, host::encode_reply(reply));
  if (!put && put.code() != "ask_answered") return put;
  const auto deadline = steady_clock::now() + patience;
  for (;;) {
    if (const auto text = files->outcome(name)) {
      host::AskEnd end = host::decode_end(*text);
      if (put && end.nonce == reply.nonce) return std::move(end.outcome);
      return answered(end.outcome);
    }
    if (!open_question(*files, name)) {
      // The outcome comes before the question goes.
      if (files->outcome(name)) continue;
      return Status::error("ask_not_found", "the host of question " + name + " has ended");
    }
    if (steady_clock::now() >= deadline) break;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  if (!put) {
    return Status::error("ask_answered", "question " + name +
                                             " has another answer already, which its host has not "
                                             "read yet");
  }
  AskOutcome outcome = host::outcome_of(name, answer, std::time(nullptr));
  outcome.taken = false;
  return outcome;
}

std::string asks_json(const std::vector<OpenAsk>& asks) {
  OrderedJson list = OrderedJson::array();
  for (const OpenAsk& each : asks) list.push_back(host::ask_fields(each));
  return to_text(list);
}

std::string outcome_json(const AskOutcome& outcome) {
  return to_text(host::outcome_fields(outcome));
}

std::string outcome_text(const AskOutcome& outcome) {
  std::string text = outcome.decision == "allow" ? "allowed" : "denied";
  if (outcome.scope == "once") text += " once";
  if (outcome.scope == "session") text += " for the session";
  if (outcome.scope == "always") text += " always";
  if (outcome.about == "rule") text += " (its rules)";
  if (outcome.about == "prefix") text += " (its prefix)";
  if (!outcome.who.empty()) text += " by " + outcome.who;
  const std::time_t time = outcome.at;
  std::tm parts{};
  std::array<char, 32> at{};
  if (outcome.at != 0 && ::localtime_r(&time, &parts) != nullptr) {
    (void)std::strftime(at.data(), at.size(), "%Y-%m-%d %H:%M:%S", &parts);
    text += std::string(" at ") + at.data();
  }
  return text;
}

}  // namespace gibbous
