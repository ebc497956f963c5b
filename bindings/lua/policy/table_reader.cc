#include "bindings/lua/policy/table_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <lua.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "bindings/lua/check/wrong_use.h"
#include "bindings/lua/vm/budget.h"
#include "bindings/lua/vm/value.h"
#include "runtime/base/nearest.h"
#include "runtime/output/text.h"

namespace gibbous::lua {
namespace {

constexpr int kReaderSlots = 64;  // no reader nests deeper
constexpr std::size_t kMaxQuotedBytes = 60;
constexpr std::size_t kMaxKnownShown = 12;
constexpr std::size_t kStepsPerNode = 20;
constexpr std::size_t kStepsPerRegex = 5000;
constexpr std::size_t kStepsPerRegexByte = 100;

// Makes text fit for a message: valid and on one line.
std::string on_one_line(std::string_view text) {
  std::string shown = to_utf8(text);
  for (char& byte : shown) {
    if (static_cast<unsigned char>(byte) < ' ') byte = '?';
  }
  return shown;
}

// Makes text fit as well, and short.
std::string shortened(std::string_view text) {
  const std::string shown = on_one_line(text.substr(0, kMaxQuotedBytes));
  return text.size() > kMaxQuotedBytes ? shown + "..." : shown;
}

}  // namespace

void split_words(const std::string& text, std::vector<std::string>* out) {
  std::istringstream words(text);
  for (std::string word; words >> word;) out->push_back(std::move(word));
}

std::string unknown_word(const std::string& what, const std::string& word,
                         const std::vector<std::string>& known) {
  const std::string near = nearest_name(word, known);
  return "unknown " + what + " '" + shortened(word) + "'" +
         (near.empty() ? "; known are " + comma_list(known, kMaxKnownShown) : did_you_mean(near));
}

TableReader::TableReader(lua_State* state, Faults* faults) : state_(state), faults_(faults) {
  luaL_checkstack(state, kReaderSlots, "reading a policy");
}

void TableReader::fault(const std::string& message, const std::string& written, bool is_key) {
  ++found_;
  SourcePlace place = place_;
  if (place.file.empty()) place.file = file_;
  if (place.line == 0 && !place_key_.empty()) {
    const SourcePlace key = faults_->sources().find_key(place_key_, file_);
    if (key.line != 0) place = key;
  }
  if (!written.empty()) {
    const SourceIndex& sources = faults_->sources();
    const SourcePlace found = is_key ? sources.find_key(written, place.file, place.line)
                                     : sources.find(written, "", place.file, place.line);
    // Once the item's line is known, the word comes after it.
    const bool behind = found.file == place.file && found.line >= place.line;
    if (found.line != 0 && (place.line == 0 || behind)) place = found;
  }
  std::string text = item_;
  if (!path_.empty()) text += (text.empty() ? "" : ": ") + path_;
  faults_->add(place, text + (text.empty() ? "" : ": ") + message);
}

void TableReader::expected(const std::string& what) {
  const bool is_text = lua_type(state_, -1) == LUA_TSTRING;
  fault("expected " + what + ", got " + shown(),
        is_text ? std::string(text_at(state_, -1).substr(0, kMaxTextBytes)) : "");
}

void TableReader::unknown(const std::string& what, const std::string& word,
                          const std::vector<std::string>& known, bool is_key) {
  std::string written = word;
  if (!is_key && lua_type(state_, -1) == LUA_TSTRING) {
    written = text_at(state_, -1).substr(0, kMaxTextBytes);  // the whole literal that contains it
  }
  fault(unknown_word(what, word, known), written, is_key);
}

std::string TableReader::shown() const {
  const int type = lua_type(state_, -1);
  if (type == LUA_TSTRING) {
    return describe_value(on_one_line(text_at(state_, -1).substr(0, kMaxTextBytes)));
  }
  if (type == LUA_TBOOLEAN) return describe_value(lua_toboolean(state_, -1) != 0);
  if (type == LUA_TNUMBER) return describe_value(lua_tonumber(state_, -1));
  return type == LUA_TNIL ? "nil" : std::string("a ") + lua_typename(state_, type);
}

std::string TableReader::shown_key() const {
  const int type = lua_type(state_, -2);
  if (type == LUA_TSTRING) return shortened(text_at(state_, -2));
  if (type != LUA_TNUMBER) return std::string("[a ") + lua_typename(state_, type) + "]";
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "[%.14g]", lua_tonumber(state_, -2));
  return number.data();
}

bool TableReader::take(std::size_t bytes) {
  if (over_) return false;
  ++nodes_;
  bytes_ += bytes;
  steps_ += kStepsPerNode + bytes;
  if (nodes_ <= kMaxPolicyNodes && bytes_ <= kMaxPolicyBytes) return true;
  over_ = true;
  fault("the tables of the policy are too large: at most " + std::to_string(kMaxPolicyNodes) +
        " values and " + std::to_string(kMaxPolicyBytes >> 20) + " MiB of text");
  return false;
}

bool TableReader::any_text(std::string* out, std::size_t most) {
  if (lua_type(state_, -1) != LUA_TSTRING) return expected("a string"), false;
  const std::string_view text = text_at(state_, -1);
  if (text.size() > most) {
    fault("is a string of " + std::to_string(text.size()) + " bytes; the limit is " +
          std::to_string(most));
    return false;
  }
  if (!take(text.size())) return false;
  out->assign(text);
  return true;
}

bool TableReader::text(std::string* out) {
  if (!any_text(out)) return false;
  if (out->empty()) expected("a non-empty string");
  return !out->empty();
}

bool TableReader::flag(bool* out) {
  if (lua_type(state_, -1) != LUA_TBOOLEAN) return expected("true or false"), false;
  *out = lua_toboolean(state_, -1) != 0;
  return true;
}

bool TableReader::flag(std::optional<bool>* out) {
  bool value = false;
  if (!flag(&value)) return false;
  *out = value;
  return true;
}

bool TableReader::integer(int least, int most, int* out) {
  const double number = lua_type(state_, -1) == LUA_TNUMBER ? lua_tonumber(state_, -1) : least - 1;
  // NaN is in no range.
  const bool fits = number >= least && number <= most && number == std::floor(number);
  if (fits) {
    *out = static_cast<int>(number);
  } else {
    expected("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return fits;
}

bool TableReader::texts(std::vector<std::string>* out) {
  const auto add = [this, out] {
    std::string item;
    if (any_text(&item)) out->push_back(std::move(item));
  };
  return each(kMaxListItems, add, "a list of strings");
}

bool TableReader::words(std::vector<std::string>* out, bool split_items) {
  const std::size_t before = found_;
  const auto add = [this, out, split_items](bool is_item) {
    std::string all;
    if (!text(&all)) return;
    const std::size_t size = out->size();
    if (is_item && !split_items) {
      out->push_back(std::move(all));
    } else {
      split_words(all, out);
    }
    if (out->size() == size) expected("a string with at least one word");
    if (out->size() > kMaxListItems) {
      out->resize(kMaxListItems);
      fault("has more than " + std::to_string(kMaxListItems) + " words");
    }
  };
  if (lua_type(state_, -1) == LUA_TSTRING) {
    add(false);
  } else {
    each(
        kMaxListItems, [&add] { add(true); }, "a string or a list of strings");
  }
  return found_ == before;
}

bool TableReader::patterns(std::vector<rules::Pattern>* out, bool words_too) {
  std::vector<std::string> written;
  if (!(words_too ? words(&written) : texts(&written))) return false;
  bool all = true;
  for (const std::string& each : written) {
    if (over()) return false;
    if (each.rfind("re:", 0) == 0) note_regex(each.size());
    auto compiled = rules::Pattern::compile(each);
    if (compiled) {
      out->push_back(std::move(*compiled));
      continue;
    }
    all = false;
    fault("'" + shortened(each) + "' is not a pattern: " + compiled.status().message(), each);
  }
  return all;
}

bool TableReader::access(command::AccessKind* out) {
  std::string word;
  return text(&word) && one_of("access", word, kAccessKinds, out);
}

// Length and number of keys are equal only when the keys are 1..n.
bool TableReader::list_size(std::size_t most, const char* expected_list, std::size_t* size) {
  if (lua_type(state_, -1) != LUA_TTABLE) return expected(expected_list), false;
  *size = lua_objlen(state_, -1);
  std::size_t keys = 0;
  for (lua_pushnil(state_); lua_next(state_, -2) != 0; lua_pop(state_, 1)) {
    if (++keys <= *size && keys <= most && lua_type(state_, -2) == LUA_TNUMBER) continue;
    const std::string key = shown_key();
    const bool long_list = keys > most;
    lua_pop(state_, 2);
    if (long_list) {
      fault("has more than " + std::to_string(most) + " elements");
    } else {
      fault(std::string("expected ") + expected_list + " without holes or names, got one with " +
            key);
    }
    return false;
  }
  if (keys != *size) fault(std::string("expected ") + expected_list + " without holes");
  return keys == *size && take(0);
}

bool TableReader::each(std::size_t most, const std::function<void()>& item,
                       const char* expected_list) {
  const std::size_t before = found_;
  std::size_t size = 0;
  if (!list_size(most, expected_list, &size)) return false;
  for (std::size_t i = 1; i <= size && !over(); ++i) {
    const Step step(*this, "[" + std::to_string(i) + "]");
    lua_rawgeti(state_, -1, static_cast<int>(i));
    if (take(0)) item();
    lua_pop(state_, 1);
  }
  return found_ == before;
}

void TableReader::each_key(std::size_t most, const char* expected_table,
                           const std::function<void(const std::string&)>& field) {
  if (lua_type(state_, -1) != LUA_TTABLE) return expected(expected_table);
  std::size_t keys = 0;
  for (lua_pushnil(state_); lua_next(state_, -2) != 0; lua_pop(state_, 1)) {
    std::string key = lua_type(state_, -2) == LUA_TSTRING ? std::string() : shown_key();
    const bool named = key.empty();
    if (named) key = text_at(state_, -2).substr(0, kMaxTextBytes);
    bool go_on = !over() && take(key.size());
    if (go_on && ++keys > most) {
      fault("has more than " + std::to_string(most) + " keys");
      go_on = false;
    }
    if (go_on && named && !key.empty()) {
      field(key);
    } else if (go_on) {
      fault("expected " + std::string(expected_table) + ", got the key " + (named ? "''" : key));
    }
    if (go_on) continue;
    lua_pop(state_, 2);
    return;
  }
}

bool TableReader::is_list() {
  if (lua_type(state_, -1) != LUA_TTABLE) return false;
  std::size_t looked = 0;
  for (lua_pushnil(state_); lua_next(state_, -2) != 0; lua_pop(state_, 1)) {
    steps_ += kStepsPerNode;
    const bool named = lua_type(state_, -2) == LUA_TSTRING;
    if (!named && ++looked < kMaxListItems) continue;
    lua_pop(state_, 2);
    return !named;
  }
  return true;
}

void TableReader::items(const char* what, const std::function<void()>& item) {
  std::size_t count = 0;
  const auto one = [&] {
    if (++count == kMaxPolicyItems + 1) {
      over_ = true;
      fault("more than " + std::to_string(kMaxPolicyItems) + " " + what);
    }
    if (over()) return;
    const std::size_t first = faults_->count();
    const std::string outer = std::exchange(path_, "");
    item_ = outer;
    item();
    faults_->sort_from(first);
    item_.clear();
    place_ = {};
    path_ = outer;
    charge();
  };
  const Step step(*this, what);
  enter_file();
  const std::string file = file_;
  each(kMaxPolicyItems, [&] {
    if (!is_list()) return one();
    enter_file();
    each(kMaxPolicyItems, [&] {
      if (is_list() && lua_objlen(state_, -1) > 0) {
        return fault("is a list in a list in a list; lists may be nested one level deep");
      }
      one();
    });
    file_ = file;
    charge();
  });
}

std::string TableReader::peek_text(const char* name) {
  std::string text;
  if (lua_type(state_, -1) != LUA_TTABLE) return text;
  lua_pushstring(state_, name);
  lua_rawget(state_, -2);
  if (lua_type(state_, -1) == LUA_TSTRING) text = text_at(state_, -1).substr(0, kMaxTextBytes);
  lua_pop(state_, 1);
  return text;
}

void TableReader::name_item(const std::string& name) {
  if (!name.empty()) item_ += " '" + shortened(name) + "'";
}

void TableReader::enter_file() {
  std::string file = faults_->file_of_value(state_, -1);
  if (!file.empty()) file_ = std::move(file);
  steps_ += kStepsPerNode;
}

void TableReader::note_regex(std::size_t bytes) {
  steps_ += kStepsPerRegex + bytes * kStepsPerRegexByte;
  charge();
}

void TableReader::charge() {
  Budget::of(state_).charge(state_, std::exchange(steps_, 0));
}

namespace {

using rules::Example;
using ExampleField = TableReader::Field<TableReader, Example>;

constexpr char kExampleShape[] = "a command, or a table { command = ... } or { argv = ... }";

constexpr ExampleField kExampleFields[] = {
    {"command", [](TableReader& r, Example* out) { r.any_text(&out->command); }},
    {"argv",
     [](TableReader& r, Example* out) {
       if (r.texts(&out->argv) && out->argv.empty()) r.expected("a list of at least one word");
     }},
    {"cwd", [](TableReader& r, Example* out) { r.directory(&out->cwd); }},
    {"mode", [](TableReader& r, Example* out) { r.text(&out->mode); }},
};

}  // namespace

void TableReader::directory(std::string* out) {
  if (text(out) && out->front() != '/') expected("an absolute path");
}

void TableReader::command_lines(std::vector<Example>* out) {
  each(kMaxListItems, [&] {
    Example example;
    const int type = lua_type(state_, -1);
    if (type == LUA_TSTRING) {
      if (text(&example.command)) out->push_back(std::move(example));
      return;
    }
    if (type != LUA_TTABLE) return expected(kExampleShape);
    if (!fields(*this, kExampleFields, kExampleShape, &example)) return;
    if (example.command.empty() == example.argv.empty()) {
      return fault("must have command or argv, and not both");
    }
    out->push_back(std::move(example));
  });
}

}  // namespace gibbous::lua
