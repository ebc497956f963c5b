// The JSON part of settings_edit.h: finds the place of the entry in the text and changes only that.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "bindings/cli/settings_comments.h"
#include "bindings/cli/settings_edit.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kMaxLevels = 200;
constexpr const char* kSpace = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Member {
  std::string name;
  Place whole;  // name and value
  Place value;
};

struct Object {
  Place place;
  std::vector<Member> members;
};

// All that follows reads text that is valid JSON.
std::size_t after_space(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kSpace, at), text.size());
}

std::size_t after_string(std::string_view text, std::size_t at) {
  for (++at; text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

std::size_t after_value(std::string_view text, std::size_t at) {
  if (text[at] == '"') return after_string(text, at);
  if (text[at] != '{' && text[at] != '[') {
    return std::min(text.find_first_of(" \t\r\n,]}", at), text.size());
  }
  std::size_t depth = 0;
  do {
    if (text[at] == '"') {
      at = after_string(text, at);
      continue;
    }
    if (text[at] == '{' || text[at] == '[') ++depth;
    if (text[at] == '}' || text[at] == ']') --depth;
    ++at;
  } while (depth > 0);
  return at;
}

Object object_at(std::string_view text, std::size_t at) {
  Object object{{at, after_value(text, at)}, {}};
  at = after_space(text, at + 1);
  while (text[at] != '}') {
    Member member;
    member.whole.begin = at;
    at = after_string(text, at);
    member.name = Json::parse(text.substr(member.whole.begin, at - member.whole.begin));
    member.value.begin = after_space(text, after_space(text, at) + 1);  // after the colon
    member.value.end = member.whole.end = after_value(text, member.value.begin);
    at = after_space(text, member.whole.end);
    if (text[at] == ',') at = after_space(text, at + 1);
    object.members.push_back(std::move(member));
  }
  return object;
}

Result<const Member*> only_member(const Object& object, const std::string& name) {
  const Member* found = nullptr;
  for (const Member& member : object.members) {
    if (member.name != name) continue;
    if (found != nullptr) return settings_unclear("it has two members \"" + name + '"');
    found = &member;
  }
  return found;
}

std::string slice(const std::string& text, Place place) {
  return text.substr(place.begin, place.end - place.begin);
}

std::string replaced(const std::string& text, Place place, const std::string& by) {
  return text.substr(0, place.begin) + by + text.substr(place.end);
}

// How the file is written: the space before a member of its root, "" when it is all one line.
std::string indent_of(const std::string& text, const Object& root) {
  if (root.members.empty()) return "  ";
  const std::size_t first = root.members.front().whole.begin;
  const std::size_t line = text.rfind('\n', first);
  if (line == std::string::npos || line < root.place.begin) return "";
  const std::string indent = text.substr(line + 1, first - line - 1);
  return indent.find_first_not_of(kSpace) == std::string::npos ? indent : "  ";
}

std::string repeated(const std::string& unit, std::size_t times) {
  std::string all;
  while (times-- > 0) all += unit;
  return all;
}

std::string written(const OrderedJson& value, const std::string& unit, std::size_t depth) {
  const auto handler = OrderedJson::error_handler_t::replace;
  if (unit.empty()) return value.dump(-1, ' ', false, handler);
  const std::string lines = value.dump(static_cast<int>(unit.size()), unit.front(), false, handler);
  std::string indented;
  for (const char byte : lines) {
    indented += byte;
    if (byte == '\n') indented += repeated(unit, depth);
  }
  return indented;
}

// Inserts a member after the last one, and after the comment behind that one in its line.
std::string after_last(const std::string& text, const PlainSettings& plain, const Object& object,
                       const std::string& added) {
  const std::size_t end = object.members.back().whole.end;
  const std::size_t line_end = std::min(plain.text.find('\n', end), object.place.end - 1);
  const bool is_last = after_space(plain.text, end) >= line_end;
  if (!is_last || !has_comment(text, plain, end, line_end))
    return replaced(text, {end, end}, added);
  const auto& commas = plain.trailing_commas;
  const bool has_comma = std::any_of(commas.begin(), commas.end(), [&](std::size_t comma) {
    return comma >= end && comma < object.place.end;
  });
  // The added text begins with a comma, which belongs to the last member.
  const std::string with_text = replaced(text, {line_end, line_end}, added.substr(1));
  return has_comma ? with_text : replaced(with_text, {end, end}, ",");
}

std::string with_member(const std::string& text, const PlainSettings& plain, const Object& object,
                        const std::string& name, const OrderedJson& value, const std::string& unit,
                        std::size_t depth) {
  const std::string line = unit.empty() ? "" : "\n" + repeated(unit, depth);
  const std::string added =
      line + Json(name).dump() + (unit.empty() ? ":" : ": ") + written(value, unit, depth);
  if (!object.members.empty()) {
    return after_last(text, plain, object, (unit.empty() ? ", " : ",") + added);
  }
  if (has_comment(text, plain, object.place.begin, object.place.end)) {
    return replaced(text, {object.place.begin + 1, object.place.begin + 1}, added);
  }
  const std::string close = unit.empty() ? "" : "\n" + repeated(unit, depth - 1);
  return replaced(text, object.place, "{" + added + close + "}");
}

Result<std::string> without_member(const std::string& text, const PlainSettings& plain,
                                   const Object& object, const Member& member) {
  const std::size_t index = static_cast<std::size_t>(&member - object.members.data());
  Place gone{member.whole.begin, member.whole.end};
  if (object.members.size() == 1) {
    gone = object.place;
  } else if (index == 0) {
    gone.end = object.members[1].whole.begin;
  } else {
    gone.begin = object.members[index - 1].whole.end;
  }
  // A comment inside the entry goes with it; one beside it may be about another.
  if (has_comment(text, plain, gone.begin, member.whole.begin) ||
      has_comment(text, plain, member.whole.end, gone.end)) {
    return settings_unclear("there are comments beside \"" + member.name + '"');
  }
  return replaced(text, gone, object.members.size() == 1 ? "{}" : "");
}

// The objects on the way to an entry, as far as they are there.
struct Way {
  PlainSettings plain;
  Object root;
  std::optional<Object> servers;
  std::optional<Member> entry;
};

Result<PlainSettings> plain_of(const std::string& text, bool comments) {
  if (!comments) return PlainSettings{text, {}};
  std::optional<PlainSettings> plain = without_comments(text);
  if (!plain) return settings_unclear("a comment in it has no end");
  return std::move(*plain);
}

Result<Way> way_to(PlainSettings plain, const std::string& member, const std::string& name,
                   bool comments) {
  const std::string& text = plain.text;
  if (nests_deeper(text, kMaxLevels)) return settings_unclear("it nests too deep");
  if (!Json::accept(text)) {
    return settings_unclear(comments
                                ? "it is not JSON with comments"
                                : "it is not plain JSON (comments and trailing commas are not)");
  }
  const std::size_t start = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const std::size_t begin = after_space(text, start);
  if (text[begin] != '{') return settings_unclear("it is not a JSON object");
  Way way{plain, object_at(text, begin), {}, {}};
  const Result<const Member*> servers = only_member(way.root, member);
  if (!servers) return servers.status();
  if (*servers == nullptr) return way;
  if (text[(*servers)->value.begin] != '{') {
    return settings_unclear("its member \"" + member + "\" is not an object");
  }
  way.servers = object_at(text, (*servers)->value.begin);
  const Result<const Member*> entry = only_member(*way.servers, name);
  if (!entry) return entry.status();
  if (*entry != nullptr) way.entry = **entry;
  return way;
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(kSpace) == std::string::npos;
}

// Returns a text without a value, to be continued in a line of its own.
std::string kept_comments(const std::string& text) {
  if (is_blank(text)) return "";
  return text.ends_with('\n') ? text : text + "\n";
}

// The entry that is there, with the command and the arguments of the new one.
Result<OrderedJson> merged_entry(const std::string& old, const ServerEntry& entry) {
  OrderedJson value = OrderedJson::parse(old);
  if (!value.is_object() || !value.contains("command")) {
    return settings_unclear("\"" + entry.name +
                            "\" is there already and is no local server; choose another --name");
  }
  const OrderedJson wanted = entry_value(entry);
  for (const auto& [key, part] : wanted.items()) value[key] = part;
  return value;
}

}  // namespace

Status settings_unclear(const std::string& why) {
  return Status::error("settings_unclear", why);
}

OrderedJson entry_value(const ServerEntry& entry) {
  OrderedJson value = OrderedJson::object();
  if (entry.typed) value["type"] = "stdio";
  value["command"] = entry.command;
  value["args"] = entry.arguments;
  return value;
}

std::string json_to_add(const std::string& member, const ServerEntry& entry) {
  OrderedJson root = OrderedJson::object();
  root[member][entry.name] = entry_value(entry);
  return written(root, "  ", 0);
}

Result<std::string> set_in_json(const std::string& text, const std::string& member,
                                const ServerEntry& entry, bool comments) {
  Result<PlainSettings> plain = plain_of(text, comments);
  if (!plain) return plain.status();
  if (is_blank(plain->text)) return kept_comments(text) + json_to_add(member, entry) + "\n";
  Result<Way> way = way_to(std::move(*plain), member, entry.name, comments);
  if (!way) return way.status();
  const std::string unit = indent_of(text, way->root);
  if (!way->servers) {
    OrderedJson servers = OrderedJson::object();
    servers[entry.name] = entry_value(entry);
    return with_member(text, way->plain, way->root, member, servers, unit, 1);
  }
  if (!way->entry) {
    return with_member(text, way->plain, *way->servers, entry.name, entry_value(entry), unit, 2);
  }
  const Place place = way->entry->value;
  const std::string old = slice(way->plain.text, place);
  Result<OrderedJson> value = merged_entry(old, entry);
  if (!value) return value.status();
  if (*value == OrderedJson::parse(old)) return text;
  if (has_comment(text, way->plain, place.begin, place.end)) {
    return settings_unclear("there are comments in \"" + entry.name + '"');
  }
  return replaced(text, place, written(*value, unit, 2));
}

Result<std::string> remove_from_json(const std::string& text, const std::string& member,
                                     const std::string& name, bool comments) {
  Result<PlainSettings> plain = plain_of(text, comments);
  if (!plain) return plain.status();
  if (is_blank(plain->text)) return text;
  Result<Way> way = way_to(std::move(*plain), member, name, comments);
  if (!way) return way.status();
  if (!way->entry) return text;
  const auto same = std::find_if(way->servers->members.begin(), way->servers->members.end(),
                                 [&name](const Member& each) { return each.name == name; });
  return without_member(text, way->plain, *way->servers, *same);
}

}  // namespace gibbous::cli
