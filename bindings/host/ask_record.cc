// See ask_record.h.
#include "bindings/host/ask_record.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings/host/redacted_words.h"
#include "bindings/json/read_member.h"
#include "bindings/json/text.h"

namespace gibbous::host {
namespace {

constexpr std::size_t kMostAskBytes = std::size_t{256} << 10;
constexpr std::size_t kMostAskText = std::size_t{8} << 10;  // of one text
constexpr std::size_t kMostItems = 64;
constexpr std::size_t kMostJsonBytes = std::size_t{16} << 20;
std::string cut_ask(std::string text) {
  return cut_text(std::move(text), kMostAskText);
}

std::string without_secrets(const Redactor& redactor, const std::string& text) {
  return redacted_text(redactor, text, kMostAskText);
}

// A value is secret because of its name, or because of what is in it.
Json without_secrets(const Redactor& redactor, const std::string& name, const Json& value) {
  if (value.is_object()) {
    Json made = Json::object();
    for (const auto& [key, each] : value.items()) made[key] = without_secrets(redactor, key, each);
    return made;
  }
  if (value.is_array()) {
    const auto is_text = [](const Json& each) { return each.is_string(); };
    if (std::all_of(value.begin(), value.end(), is_text)) return redacted_words(value, redactor);
    Json made = Json::array();
    for (const Json& each : value) made.push_back(without_secrets(redactor, name, each));
    return made;
  }
  if (!value.is_string()) return value;
  const auto& text = value.get_ref<const std::string&>();
  const std::string_view seen = std::string_view(text).substr(0, 2 * kMostAskText);
  constexpr std::string_view kHidden = "***";
  const std::string pair = name + "=" + std::string(seen);
  if (redactor.redact(pair) == name + "=" + std::string(kHidden)) return kHidden;
  return without_secrets(redactor, text);
}

std::string json_without_secrets(const Redactor& redactor, const std::string& text) {
  const Json value = parse_object(text, kMostJsonBytes);
  return cut_ask(to_text(without_secrets(redactor, "", value)));
}

constexpr std::array<const char*, 3> kRemember = {"once", "session", "always"};
constexpr std::array<const char*, 3> kAbout = {"command", "rule", "prefix"};

template <typename Enum>
const char* word_of(const std::array<const char*, 3>& words, Enum value) {
  return words.at(static_cast<std::size_t>(value));
}

// Each calls `field` with the name and the member of each field, in their order in the file.
template <typename Field>
void each_field(OpenAsk& open, const Field& field) {
  AskRequest& ask = open.ask;
  field("id", ask.id);
  field("opened", open.opened);
  field("expires", open.expires);
  field("waits", open.waits);
  field("host", open.host);
  field("session", ask.session);
  field("workspace", ask.workspace);
  field("mode", ask.mode);
  field("tool", ask.tool);
  field("effect", ask.effect);
  field("command", ask.command);
  field("commands", ask.commands);
  field("subject", ask.subject);
  field("arguments", ask.arguments);
  field("reason", ask.reason);
  field("rule", ask.rule);
  field("rules", ask.rules);
  field("may_approve_rules", ask.may_approve_rules);
  field("prefix", ask.prefix);
  field("file", ask.file);
  field("line", ask.line);
}

template <typename Field>
void each_field(AskOutcome& outcome, const Field& field) {
  field("id", outcome.id);
  field("decision", outcome.decision);
  field("scope", outcome.scope);
  field("about", outcome.about);
  field("who", outcome.who);
  field("reason", outcome.reason);
  field("at", outcome.at);
  field("taken", outcome.taken);
}

template <typename Field>
void each_field(AskAnswer& answer, const Field& field) {
  std::string remember = word_of(kRemember, answer.remember);
  std::string about = word_of(kAbout, answer.about);
  std::int64_t lasts = answer.lasts.count();
  field("allow", answer.allow);
  field("remember", remember);
  field("about", about);
  field("lasts_s", lasts);
  field("reason", answer.reason);
  field("who", answer.who);
  const auto take = [](const auto& words, const std::string& word, auto* value) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found != words.end()) {
      *value = static_cast<std::decay_t<decltype(*value)>>(found - words.begin());
    }
  };
  take(kRemember, remember, &answer.remember);
  take(kAbout, about, &answer.about);
  answer.lasts = std::chrono::seconds(std::max<std::int64_t>(lasts, 0));
}

template <typename Record>
OrderedJson fields_of(const Record& record) {
  OrderedJson fields;
  Record copy = record;
  each_field(copy, [&fields](const char* name, const auto& value) { fields[name] = value; });
  return fields;
}

template <typename Record>
void read_fields(const Json& from, Record* record) {
  each_field(*record, [&from](const char* name, auto& value) { read_member(from, name, value); });
}

}  // namespace

AskRequest redacted_ask(const AskRequest& request, const Redactor& redactor) {
  AskRequest shown = request;
  shown.reply = nullptr;
  shown.call = 0;
  shown.prefixes.clear();
  shown.policy.clear();
  for (std::string* text : {&shown.session, &shown.tool, &shown.effect, &shown.rule, &shown.file,
                            &shown.mode, &shown.workspace}) {
    *text = cut_ask(std::move(*text));
  }
  for (std::string* text : {&shown.reason, &shown.command, &shown.prefix}) {
    *text = without_secrets(redactor, *text);
  }
  if (shown.rules.size() > kMostItems) shown.rules.resize(kMostItems);
  for (std::string& each : shown.commands) each = without_secrets(redactor, each);
  const bool json = !shown.subject.empty() && shown.subject.front() == '{';
  shown.subject = json ? json_without_secrets(redactor, shown.subject)
                       : without_secrets(redactor, shown.subject);
  if (shown.typed) shown.arguments = "{}";
  shown.arguments = json_without_secrets(redactor, shown.arguments);
  return shown;
}

OrderedJson ask_fields(const OpenAsk& ask) {
  OrderedJson fields = fields_of(ask);
  if (ask.expires == 0) fields["expires"] = nullptr;
  return fields;
}

std::string encode_ask(const AskRecord& record) {
  OrderedJson fields = ask_fields(record.shown);
  fields["process"] = record.host;
  return to_text(fields);
}

AskRecord decode_ask(std::string_view text) {
  const Json fields = parse_object(text, kMostAskBytes);
  AskRecord record;
  record.shown.waits = true;
  read_fields(fields, &record.shown);
  record.host = text_member(fields, "process");
  return record;
}

std::string encode_reply(const AskReply& reply) {
  AskAnswer answer = reply.answer;
  answer.reason = cut_ask(answer.reason);
  answer.who = cut_ask(answer.who);
  OrderedJson fields = fields_of(answer);
  fields["question"] = reply.question;
  fields["nonce"] = reply.nonce;
  return to_text(fields);
}

AskReply decode_reply(std::string_view text) {
  const Json fields = parse_object(text, kMostAskBytes);
  AskReply reply{text_member(fields, "question"), text_member(fields, "nonce"), {}};
  read_fields(fields, &reply.answer);
  return reply;
}

std::string encode_kept(const KeptReply& kept) {
  OrderedJson fields = fields_of(kept.answer);
  fields["question"] = kept.question;
  fields["until"] = kept.until;
  return to_text(fields);
}

KeptReply decode_kept(std::string_view text) {
  const Json fields = parse_object(text, kMostAskBytes);
  KeptReply kept{text_member(fields, "question"), 0, {}};
  read_member(fields, "until", kept.until);
  read_fields(fields, &kept.answer);
  return kept;
}

OrderedJson outcome_fields(const AskOutcome& outcome) {
  return fields_of(outcome);
}

std::string encode_end(const AskEnd& end) {
  OrderedJson fields = fields_of(end.outcome);
  fields["nonce"] = end.nonce;
  return to_text(fields);
}

AskEnd decode_end(std::string_view text) {
  const Json fields = parse_object(text, kMostAskBytes);
  AskEnd end;
  end.nonce = text_member(fields, "nonce");
  read_fields(fields, &end.outcome);
  return end;
}

AskOutcome outcome_of(const std::string& id, const AskAnswer& answer, std::int64_t now) {
  AskOutcome outcome;
  outcome.id = id;
  outcome.decision = answer.allow ? "allow" : "deny";
  outcome.scope = answer.allow ? word_of(kRemember, answer.remember) : "";
  outcome.about = answer.allow ? word_of(kAbout, answer.about) : "";
  outcome.who = cut_ask(answer.who);
  outcome.reason = cut_ask(answer.reason);
  outcome.at = now;
  return outcome;
}

}  // namespace gibbous::host
