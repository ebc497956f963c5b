// The open questions of the policy, of every host of this user that shares a state directory: who
// waits for a person, and the answer of one. Used by `gibbous asks`, `gibbous top` and by hosts
// that show them. Any thread; each call reads the files of the state directory and waits for the
// disk.
//
// A question is open while its host lives, until the first answer: from the client whose call
// waits, from a terminal, or from a program that calls answer_ask(). Its host decides who was
// first.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/runtime.h"
#include "gibbous/status.h"

namespace gibbous {

struct OpenAsk {
  // As AskRequest of the host, without `call` and `reply`; what looks like a secret is ***.
  AskRequest ask;
  std::string host;          // the program that asks, and its pid: "gibbous 4711"
  std::int64_t opened = 0;   // Unix seconds
  std::int64_t expires = 0;  // Unix seconds; 0: it stays open while its call waits
  bool waits = true;         // its call still waits; else the agent was told to repeat it
};

// What became of a question.
struct AskOutcome {
  std::string id;
  std::string decision;  // allow, deny; ended: of its call or its host; expired: not answered
  std::string scope;     // once, session or always
  std::string about;     // command, rule or prefix
  std::string who;
  std::string reason;
  std::int64_t at = 0;  // Unix seconds
  bool taken = true;    // false: the host, which may be busy, has not read it yet
};

// Lists the open questions, oldest first; `state_dir` "" means the default one.
Result<std::vector<OpenAsk>> list_asks(const std::string& state_dir);

// Returns an open question by its id, or by a unique prefix of it. Fails with ask_not_found,
// ask_ambiguous, or ask_answered, whose message says by whom and when.
Result<OpenAsk> find_ask(const std::string& state_dir, std::string_view id);

// Answers an open question and waits, at most `patience`, until its host has taken the answer.
// Fails as find_ask() does, also when another answer was first; with invalid_arguments when the
// question does not offer that answer (AskAnswer::about, AskRequest::may_approve_rules, prefix);
// with inside_run in a process of a run: agents do not answer their own questions.
Result<AskOutcome> answer_ask(const std::string& state_dir, std::string_view id,
                              const AskAnswer& answer,
                              std::chrono::milliseconds patience = std::chrono::seconds(5));

// Returns a JSON array of objects.
std::string asks_json(const std::vector<OpenAsk>& asks);
std::string outcome_json(const AskOutcome& outcome);
// "allowed once by ann at 2026-11-27 10:15", for people.
std::string outcome_text(const AskOutcome& outcome);

}  // namespace gibbous
