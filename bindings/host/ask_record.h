// Questions, answers and outcomes as the text of their files (ask_files.h). What comes from a file
// is genuine, but another version may have written it: a wrong type counts as absent. Pure, any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bindings/json/json.h"
#include "gibbous/asks.h"
#include "runtime/audit/redact.h"

namespace gibbous::host {

// The question for other eyes: bounded, and without secrets.
AskRequest redacted_ask(const AskRequest& request, const Redactor& redactor);

struct AskRecord {
  OpenAsk shown;
  std::string host;  // process_tag()
};
// The fields are those of `gibbous asks --json`.
OrderedJson ask_fields(const OpenAsk& ask);
std::string encode_ask(const AskRecord& record);
AskRecord decode_ask(std::string_view text);

struct AskReply {
  std::string question;  // sha256 of the text of the question that the person saw
  std::string nonce;     // of this answer
  AskAnswer answer;
};
std::string encode_reply(const AskReply& reply);
AskReply decode_reply(std::string_view text);

struct AskEnd {
  AskOutcome outcome;
  std::string nonce;  // of the answer that counted; "": it came from the client
};
OrderedJson outcome_fields(const AskOutcome& outcome);
std::string encode_end(const AskEnd& end);
AskEnd decode_end(std::string_view text);

// An answer that waits for the same call to come again.
struct KeptReply {
  std::string question;
  std::int64_t until = 0;  // Unix seconds
  AskAnswer answer;
};
std::string encode_kept(const KeptReply& kept);
KeptReply decode_kept(std::string_view text);

// The outcome that an answer leads to.
AskOutcome outcome_of(const std::string& id, const AskAnswer& answer, std::int64_t now);

}  // namespace gibbous::host
