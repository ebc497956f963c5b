// The table `json`: encode, decode, null, array, object. Text from outside is measured before it is
// parsed, so that neither its depth nor its size can hurt. encode raises for a value that JSON
// cannot represent; decode returns nil, err.
#include <cstdint>
#include <exception>
#include <iterator>
#include <lua.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bindings/lua/api/api.h"
#include "bindings/lua/vm/budget.h"
#include "bindings/lua/vm/state.h"
#include "bindings/lua/vm/value.h"

namespace gibbous::lua {

namespace {

constexpr std::size_t kBytesPerStep = 4;
constexpr int kPrettyIndent = 2;

// Steps that make Budget::charge() look at the clock in any case.
constexpr std::size_t kManySteps = std::size_t{1} << 20;
constexpr std::size_t kBytesPerLook = std::size_t{1} << 14;

// Megabytes take longer than the loop may be held, and nothing pauses in them.
struct TooLate : std::exception {};

// The characters of a text; the clock is looked at again and again while they are read.
class WatchedChars {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  WatchedChars(const char* at, const char* next_look, Budget* budget)
      : at_(at), next_look_(next_look), budget_(budget) {}
  reference operator*() const { return *at_; }
  WatchedChars& operator++() {
    if (++at_ >= next_look_) look();
    return *this;
  }
  WatchedChars operator++(int) {
    const WatchedChars before = *this;
    ++*this;
    return before;
  }
  bool operator==(const WatchedChars& other) const { return at_ == other.at_; }
  bool operator!=(const WatchedChars& other) const { return at_ != other.at_; }

 private:
  void look() {
    next_look_ = at_ + kBytesPerLook;
    if (budget_->is_late()) throw TooLate();
  }

  const char* at_;
  const char* next_look_;
  Budget* budget_;
};

// The text that is written, no longer than `most`; the clock is looked at meanwhile.
class WatchedText final : public nlohmann::detail::output_adapter_protocol<char> {
 public:
  WatchedText(std::size_t most, Budget& budget) : most_(most), budget_(budget) {}
  void write_character(char c) override { write_characters(&c, 1); }
  void write_characters(const char* s, std::size_t length) override {
    text_.append(s, length);
    if (text_.size() < next_look_) return;
    next_look_ = text_.size() + kBytesPerLook;
    if (text_.size() >= most_) throw std::length_error("too long");
    if (budget_.is_late()) throw TooLate();
  }
  const std::string& text() const { return text_; }

 private:
  std::size_t most_;
  Budget& budget_;
  std::string text_;
  std::size_t next_look_ = kBytesPerLook;
};

// Explains why `text` is too large or too deep to parse; "" when it is not. Throws TooLate.
std::string_view too_much(std::string_view text, Budget& budget) {
  int depth = 0;
  std::size_t nodes = 1;
  bool quoted = false;
  std::size_t next_look = kBytesPerLook;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i >= next_look) {
      next_look = i + kBytesPerLook;
      if (budget.is_late()) throw TooLate();
    }
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == ',' || c == ':') ++nodes;
    if (c == '[' || c == '{') {
      ++nodes;
      if (++depth > kMaxValueDepth) return "JSON text is deeper than 64 levels";
    }
    if (c == ']' || c == '}') --depth;
    if (nodes > kMaxValueNodes) return "JSON text holds more than 500000 values";
  }
  return {};
}

// Removes nlohmann's "[json.exception.parse_error.101] ".
std::string plain_message(std::string_view what) {
  const std::size_t bracket = what.find("] ");
  if (!what.empty() && what.front() == '[' && bracket != std::string_view::npos) {
    what.remove_prefix(bracket + 2);
  }
  return std::string(what);
}

enum class Outcome : std::uint8_t { kDone, kFailed, kTooLate, kTooLong };

// Sets *value, or *message. Uses no Lua, so the exceptions stay inside.
Outcome parse(std::string_view text, Budget& budget, Json* value, std::string* message) {
  try {
    *message = too_much(text, budget);
    if (!message->empty()) return Outcome::kFailed;
    const char* const end = text.data() + text.size();
    *value = Json::parse(WatchedChars(text.data(), text.data() + kBytesPerLook, &budget),
                         WatchedChars(end, end, &budget));
    return Outcome::kDone;
  } catch (const TooLate&) {
    return Outcome::kTooLate;
  } catch (const std::exception& exception) {
    *message = plain_message(exception.what());
    return Outcome::kFailed;
  }
}

// The same: sets *text, or *message.
Outcome write(const Json& value, bool pretty, std::size_t most, Budget& budget, std::string* text,
              std::string* message) {
  const auto written = std::make_shared<WatchedText>(most, budget);
  try {
    nlohmann::detail::serializer<Json> serializer(written, ' ');
    serializer.dump(value, pretty, /*ensure_ascii=*/false, pretty ? kPrettyIndent : 0);
  } catch (const TooLate&) {
    return Outcome::kTooLate;
  } catch (const std::length_error&) {
    return Outcome::kTooLong;
  } catch (const std::exception& exception) {
    *message = plain_message(exception.what());
    return Outcome::kFailed;
  }
  *text = written->text();
  return text->size() < most ? Outcome::kDone : Outcome::kTooLong;
}

// Raises: the time is over.
int raise_late(lua_State* state) {
  Budget::of(state).charge(state, kManySteps);
  return luaL_error(state, "time budget exceeded");
}

// [text] -> value | nil, err
int l_json_decode(lua_State* state) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(state, 1, &size);
  Budget& budget = Budget::of(state);
  budget.charge(state, size / kBytesPerStep);
  bool late = false;
  {
    Json value;
    std::string message;
    switch (parse({text, size}, budget, &value, &message)) {
      case Outcome::kDone:
      case Outcome::kTooLong:
        push_json(state, value);
        break;
      case Outcome::kFailed:
        return push_error(state, Status::error("invalid_json", message));
      case Outcome::kTooLate:
        late = true;
        break;
    }
  }
  return late ? raise_late(state) : 1;
}

// [value, options?]
int l_json_encode(lua_State* state) {
  luaL_checkany(state, 1);
  bool pretty = false;
  if (!lua_isnoneornil(state, 2)) {
    luaL_checktype(state, 2, LUA_TTABLE);
    lua_getfield(state, 2, "pretty");
    pretty = lua_toboolean(state, -1) != 0;
    lua_pop(state, 1);
  }
  Budget& budget = Budget::of(state);
  const std::size_t most = State::of(state).memory().limits().single_bytes;
  Outcome outcome = Outcome::kDone;
  {
    const Json value = to_json(state, 1);
    std::string text;
    std::string message;
    outcome = write(value, pretty, most, budget, &text, &message);
    if (outcome == Outcome::kFailed) lua_pushlstring(state, message.data(), message.size());
    if (outcome == Outcome::kDone) {
      budget.charge(state, text.size() / kBytesPerStep);
      lua_pushlstring(state, text.data(), text.size());
    }
  }
  switch (outcome) {
    case Outcome::kDone:
      return 1;
    case Outcome::kFailed:
      return luaL_error(state, "json.encode: %s", lua_tostring(state, -1));
    case Outcome::kTooLate:
      return raise_late(state);
    case Outcome::kTooLong:
      break;
  }
  return luaL_error(state, "json.encode: the text exceeds the limit of %d bytes",
                    static_cast<int>(most));
}

// [table?] -> the table, marked
int l_json_array(lua_State* state) {
  lua_settop(state, 1);
  if (lua_isnil(state, 1)) {
    lua_newtable(state);
    lua_replace(state, 1);
  }
  luaL_checktype(state, 1, LUA_TTABLE);
  mark_array(state, 1);
  return 1;
}

// [table?] -> the table, marked
int l_json_object(lua_State* state) {
  lua_settop(state, 1);
  if (lua_isnil(state, 1)) {
    lua_newtable(state);
    lua_replace(state, 1);
  }
  luaL_checktype(state, 1, LUA_TTABLE);
  mark_object(state, 1);
  return 1;
}

constexpr luaL_Reg kFunctions[] = {
    {"array", l_json_array},   {"decode", l_json_decode}, {"encode", l_json_encode},
    {"object", l_json_object}, {nullptr, nullptr},
};

}  // namespace

void open_json(lua_State* state) {
  lua_newtable(state);
  luaL_setfuncs(state, kFunctions, 0);
  push_null(state);
  lua_setfield(state, -2, "null");
}

}  // namespace gibbous::lua
