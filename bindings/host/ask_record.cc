// See ask_record.h.
#include "bindings/host/ask_record.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bindings/host/redacted_words.h"
#include "bindings/json/member.h"
#include "bindings/json/text.h"

namespace gibbous::host {
namespace {

constexpr std::size_t kMostAskBytes = std::size_t{256} << 10;
constexpr std::size_t kMostAskText = std::size_t{8} << 10;  // of one text
constexpr std::size_t kMostItems = 64;
constexpr std::size_t kMostJsonBytes = std::size_t{16} << 20;
// Secrets begin at most this far before the cut.
constexpr std::size_t kSecretReach = std::size_t{48} << 10;

std::string cut_text(std::string text) {
  if (text.size() <= kMostAskText) return text;
  const std::size_t more = text.size() - kMostAskText;
  text.resize(kMostAskText);
  return text + "... (" + std::to_string(more) + " bytes more)";
}

std::string without_secrets(const Redactor& redactor, const std::string& text) {
  return cut_text(redactor.redact(std::string_view(text).substr(0, kMostAskText + kSecretReach)));
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
  const std::string_view seen = std::string_view(text).substr(0, kMostAskText + kSecretReach);
  constexpr std::string_view kHidden = "***";
  const std::string pair = name + "=" + std::string(seen);
  if (redactor.redact(pair) == name + "=" + std::string(kHidden)) return kHidden;
  return without_secrets(redactor, text);
}

std::string json_without_secrets(const Redactor& redactor, const std::string& text) {
  const Json value = parse_object(text, kMostJsonBytes);
  return cut_text(to_text(without_secrets(redactor, "", value)));
}

std::int64_t number_member(const Json& from, const char* name) {
  const Json* found = find_member(from, name);
  return found != nullptr && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

bool flag_member(const Json& from, const char* name, bool otherwise) {
  const Json* found = find_member(from, name);
  return found != nullptr && found->is_boolean() ? found->get<bool>() : otherwise;
}

std::vector<std::string> text_members(const Json& from, const char* name) {
  std::vector<std::string> made;
  const Json* found = find_member(from, name);
  if (found == nullptr || !found->is_array()) return made;
  for (const Json& each : *found) {
    if (each.is_string()) made.push_back(each.get<std::string>());
  }
  return made;
}

const char* name_of(AskAnswer::Remember remember) {
  switch (remember) {
    case AskAnswer::Remember::kOnce:
      return "once";
    case AskAnswer::Remember::kSession:
      return "session";
    case AskAnswer::Remember::kAlways:
      return "always";
  }
  return "once";
}

const char* name_of(AskAnswer::About about) {
  switch (about) {
    case AskAnswer::About::kCommand:
      return "command";
    case AskAnswer::About::kRule:
      return "rule";
    case AskAnswer::About::kPrefix:
      return "prefix";
  }
  return "command";
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
    *text = cut_text(std::move(*text));
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
  const AskRequest& of = ask.ask;
  OrderedJson fields = {{"id", of.id},
                        {"opened", ask.opened},
                        {"expires", nullptr},
                        {"waits", ask.waits},
                        {"host", ask.host},
                        {"session", of.session},
                        {"workspace", of.workspace},
                        {"mode", of.mode},
                        {"tool", of.tool},
                        {"effect", of.effect},
                        {"command", of.command},
                        {"commands", of.commands},
                        {"subject", of.subject},
                        {"arguments", of.arguments},
                        {"reason", of.reason},
                        {"rule", of.rule},
                        {"rules", of.rules},
                        {"may_approve_rules", of.may_approve_rules},
                        {"prefix", of.prefix},
                        {"file", of.file},
                        {"line", of.line}};
  if (ask.expires != 0) fields["expires"] = ask.expires;
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
  AskRequest& ask = record.shown.ask;
  record.host = text_member(fields, "process");
  record.shown.host = text_member(fields, "host");
  record.shown.opened = number_member(fields, "opened");
  record.shown.expires = number_member(fields, "expires");
  record.shown.waits = flag_member(fields, "waits", true);
  ask.id = text_member(fields, "id");
  ask.session = text_member(fields, "session");
  ask.workspace = text_member(fields, "workspace");
  ask.mode = text_member(fields, "mode");
  ask.tool = text_member(fields, "tool");
  ask.effect = text_member(fields, "effect");
  ask.command = text_member(fields, "command");
  ask.commands = text_members(fields, "commands");
  ask.subject = text_member(fields, "subject");
  ask.arguments = text_member(fields, "arguments");
  ask.reason = text_member(fields, "reason");
  ask.rule = text_member(fields, "rule");
  ask.rules = text_members(fields, "rules");
  ask.may_approve_rules = flag_member(fields, "may_approve_rules", false);
  ask.prefix = text_member(fields, "prefix");
  ask.file = text_member(fields, "file");
  ask.line = static_cast<int>(number_member(fields, "line"));
  return record;
}

std::string encode_reply(const AskReply& reply) {
  const AskAnswer& answer = reply.answer;
  return to_text(OrderedJson{{"question", reply.question},
                             {"nonce", reply.nonce},
                             {"allow", answer.allow},
                             {"remember", name_of(answer.remember)},
                             {"about", name_of(answer.about)},
                             {"lasts_s", answer.lasts.count()},
                             {"reason", cut_text(answer.reason)},
                             {"who", cut_text(answer.who)}});
}

AskReply decode_reply(std::string_view text) {
  const Json fields = parse_object(text, kMostAskBytes);
  AskReply reply;
  AskAnswer& answer = reply.answer;
  reply.question = text_member(fields, "question");
  reply.nonce = text_member(fields, "nonce");
  answer.allow = flag_member(fields, "allow", false);
  const std::string remember = text_member(fields, "remember");
  if (remember == "session") answer.remember = AskAnswer::Remember::kSession;
  if (remember == "always") answer.remember = AskAnswer::Remember::kAlways;
  const std::string about = text_member(fields, "about");
  if (about == "rule") answer.about = AskAnswer::About::kRule;
  if (about == "prefix") answer.about = AskAnswer::About::kPrefix;
  answer.lasts = std::chrono::seconds(std::max<std::int64_t>(number_member(fields, "lasts_s"), 0));
  answer.reason = text_member(fields, "reason");
  answer.who = text_member(fields, "who");
  return reply;
}

std::string encode_kept(const KeptReply& kept) {
  OrderedJson fields = OrderedJson::parse(encode_reply({"", "", kept.answer}));
  fields["key"] = kept.key;
  fields["until"] = kept.until;
  return to_text(fields);
}

KeptReply decode_kept(std::string_view text) {
  const Json fields = parse_object(text, kMostAskBytes);
  return {text_member(fields, "key"), number_member(fields, "until"), decode_reply(text).answer};
}

OrderedJson outcome_fields(const AskOutcome& outcome) {
  return {{"id", outcome.id},       {"decision", outcome.decision}, {"scope", outcome.scope},
          {"about", outcome.about}, {"who", outcome.who},           {"reason", outcome.reason},
          {"at", outcome.at},       {"taken", outcome.taken}};
}

std::string encode_end(const AskEnd& end) {
  OrderedJson fields = outcome_fields(end.outcome);
  fields["nonce"] = end.nonce;
  return to_text(fields);
}

AskEnd decode_end(std::string_view text) {
  const Json fields = parse_object(text, kMostAskBytes);
  AskEnd end;
  AskOutcome& outcome = end.outcome;
  end.nonce = text_member(fields, "nonce");
  outcome.id = text_member(fields, "id");
  outcome.decision = text_member(fields, "decision");
  outcome.scope = text_member(fields, "scope");
  outcome.about = text_member(fields, "about");
  outcome.who = text_member(fields, "who");
  outcome.reason = text_member(fields, "reason");
  outcome.at = number_member(fields, "at");
  outcome.taken = flag_member(fields, "taken", true);
  return end;
}

AskOutcome outcome_of(const std::string& id, const AskAnswer& answer, std::int64_t now) {
  AskOutcome outcome;
  outcome.id = id;
  outcome.decision = answer.allow ? "allow" : "deny";
  outcome.scope = answer.allow ? name_of(answer.remember) : "";
  outcome.about = answer.allow ? name_of(answer.about) : "";
  outcome.who = cut_text(answer.who);
  outcome.reason = cut_text(answer.reason);
  outcome.at = now;
  return outcome;
}

}  // namespace gibbous::host
