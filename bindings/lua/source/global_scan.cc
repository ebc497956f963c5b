// A dump of LuaJIT 2.1 is a header and then each function, the innermost first: numbers of
// registers and constants, instructions, upvalues, constants, lines (lj_bcdump.h). The numbers of
// the two instructions are read from a known function.
#include "bindings/lua/source/global_scan.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <lua.hpp>
#include <string_view>
#include <tuple>

namespace gibbous::lua {
namespace {

constexpr std::string_view kSignature = "\x1bLJ\x02";
constexpr std::uint32_t kBigEndian = 1;
constexpr std::uint32_t kStripped = 2;
constexpr std::size_t kInstructionBytes = 4;
constexpr std::size_t kUpvalueBytes = 2;
// Types of constants.
constexpr std::uint32_t kTable = 1;
constexpr std::uint32_t kComplex = 4;
constexpr std::uint32_t kString = 5;  // plus its size
// Types of the values in a table.
constexpr std::uint32_t kInteger = 3;
constexpr std::uint32_t kNumber = 4;

class BytecodeReader {
 public:
  explicit BytecodeReader(std::string_view bytes) : bytes_(bytes) {}

  bool good() const { return good_; }
  bool at_end() const { return bytes_.empty(); }
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) {
      good_ = false;
      bytes_ = {};
      return {};
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::uint8_t byte() {
    const std::string_view taken = take(1);
    return taken.empty() ? 0 : static_cast<std::uint8_t>(taken[0]);
  }
  std::uint32_t number() {
    constexpr std::uint32_t kBits = 7;
    constexpr std::uint32_t kMore = 0x80;
    std::uint64_t value = 0;
    for (std::uint32_t shift = 0; shift < 5 * kBits; shift += kBits) {
      const std::uint32_t next = byte();
      value |= static_cast<std::uint64_t>(next & (kMore - 1)) << shift;
      if ((next & kMore) == 0) break;
    }
    return static_cast<std::uint32_t>(value);
  }
  // A number constant has one bit more: whether a second half follows.
  void skip_number() {
    constexpr std::uint32_t kMore = 0x80;
    const std::uint32_t first = byte();
    for (std::uint32_t next = first; (next & kMore) != 0;) next = byte();
    if ((first & 1U) != 0) (void)number();
  }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

struct Opcodes {
  std::uint8_t get = 0;
  std::uint8_t set = 0;
};

int append(lua_State* /*state*/, const void* bytes, std::size_t size, void* to) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
  return 0;
}

std::string dump(lua_State* state) {
  std::string bytes;
  if (lua_dump(state, append, &bytes) != 0) bytes.clear();
  return bytes;
}

void skip_table_value(BytecodeReader& reader) {
  const std::uint32_t kind = reader.number();
  if (kind >= kString) {
    (void)reader.take(kind - kString);
  } else if (kind == kInteger) {
    (void)reader.number();
  } else if (kind == kNumber) {
    (void)reader.number();
    (void)reader.number();
  }
}

// Returns a string constant; "" for others.
std::string read_constant(BytecodeReader& reader) {
  const std::uint32_t kind = reader.number();
  if (kind >= kString) return std::string(reader.take(kind - kString));
  if (kind == kTable) {
    const std::uint32_t list = reader.number();
    const std::uint32_t pairs = reader.number();
    for (std::uint32_t i = 0; i < list && reader.good(); ++i) skip_table_value(reader);
    for (std::uint32_t i = 0; i < 2 * pairs && reader.good(); ++i) skip_table_value(reader);
  } else if (kind > kTable) {
    const int halves = kind == kComplex ? 4 : 2;
    for (int i = 0; i < halves; ++i) (void)reader.number();
  }
  return "";
}

// The line of instruction `index`, from the debug information of a function.
int line_of(std::string_view lines, std::size_t index, std::uint32_t first, std::uint32_t count) {
  const std::size_t bytes = count < 0x100 ? 1 : count < 0x10000 ? 2 : 4;
  std::uint32_t line = first;
  for (std::size_t i = 0; i < bytes && index * bytes + i < lines.size(); ++i) {
    line += static_cast<std::uint32_t>(static_cast<std::uint8_t>(lines[index * bytes + i]))
            << (8 * i);
  }
  return static_cast<int>(line);
}

void read_function(BytecodeReader reader, const Opcodes& opcodes, std::vector<GlobalUse>& uses) {
  (void)reader.take(3);  // flags, parameters, registers
  const std::uint8_t upvalues = reader.byte();
  const std::uint32_t constants = reader.number();
  const std::uint32_t numbers = reader.number();
  const std::uint32_t instructions = reader.number();
  const std::uint32_t debug = reader.number();
  const std::uint32_t first = debug > 0 ? reader.number() : 0;
  const std::uint32_t lines = debug > 0 ? reader.number() : 0;
  const std::string_view code = reader.take(instructions * kInstructionBytes);
  (void)reader.take(upvalues * kUpvalueBytes);
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < constants && reader.good(); ++i) {
    names.push_back(read_constant(reader));
  }
  for (std::uint32_t i = 0; i < numbers && reader.good(); ++i) reader.skip_number();
  const std::string_view places = reader.take(debug);
  for (std::size_t i = 0; i * kInstructionBytes < code.size() && reader.good(); ++i) {
    const auto* part = reinterpret_cast<const std::uint8_t*>(code.data()) + i * kInstructionBytes;
    if (part[0] != opcodes.get && part[0] != opcodes.set) continue;
    const std::size_t constant = part[2] | static_cast<std::size_t>(part[3]) << 8U;
    if (constant >= names.size()) continue;
    uses.push_back({names[names.size() - 1 - constant], line_of(places, i, first, lines),
                    part[0] == opcodes.set});
  }
}

// Calls `on_function` with the bytes of each function. False when this is no such dump.
template <typename OnFunction>
bool read_dump(std::string_view bytes, OnFunction on_function) {
  BytecodeReader reader(bytes);
  if (reader.take(kSignature.size()) != kSignature) return false;
  const std::uint32_t flags = reader.number();
  if ((flags & (kBigEndian | kStripped)) != 0) return false;
  (void)reader.take(reader.number());  // the name of the chunk
  for (;;) {
    const std::uint32_t size = reader.number();
    if (!reader.good() || size == 0) return reader.good();
    on_function(BytecodeReader(reader.take(size)));
  }
}

std::optional<Opcodes> find_opcodes(lua_State* state) {
  constexpr std::string_view kKnown = "x = x";
  if (luaL_loadbuffer(state, kKnown.data(), kKnown.size(), "=known") != 0) {
    lua_pop(state, 1);
    return std::nullopt;
  }
  const std::string bytes = dump(state);
  lua_pop(state, 1);
  std::optional<Opcodes> found;
  const bool good = read_dump(bytes, [&found](BytecodeReader reader) {
    (void)reader.take(4);
    (void)reader.number();
    (void)reader.number();
    const std::uint32_t instructions = reader.number();
    if (reader.number() > 0) {
      (void)reader.number();
      (void)reader.number();
    }
    const std::string_view code = reader.take(instructions * kInstructionBytes);
    if (instructions < 2 || !reader.good()) return;
    found = Opcodes{static_cast<std::uint8_t>(code[0]),
                    static_cast<std::uint8_t>(code[kInstructionBytes])};
  });
  return good ? found : std::nullopt;
}

}  // namespace

std::optional<std::vector<GlobalUse>> global_uses(lua_State* state) {
  const std::string bytes = dump(state);
  const std::optional<Opcodes> opcodes = find_opcodes(state);
  if (!opcodes) return std::nullopt;
  std::vector<GlobalUse> uses;
  const bool good = read_dump(
      bytes, [&](const BytecodeReader& function) { read_function(function, *opcodes, uses); });
  if (!good) return std::nullopt;
  const auto place = [](const GlobalUse& use) {
    return std::tie(use.line, use.name, use.assigned);
  };
  std::sort(uses.begin(), uses.end(), [&place](const GlobalUse& left, const GlobalUse& right) {
    return place(left) < place(right);
  });
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
  return uses;
}

}  // namespace gibbous::lua
