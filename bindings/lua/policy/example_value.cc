#include "bindings/lua/policy/example_value.h"

#include <lua.hpp>
#include <utility>

namespace gibbous::lua {
namespace {

using rules::Example;
using ExampleField = TableReader::Field<TableReader, Example>;

constexpr char kExampleShape[] = "a command, or a table { command = ... } or { argv = ... }";

constexpr ExampleField kExampleFields[] = {
    {"command", [](TableReader& r, Example* out) { r.any_text(&out->command); }},
    {"argv",
     [](TableReader& r, Example* out) {
       const std::size_t before = r.found();
       r.each(kMaxListItems, [&] {
         std::string word;
         if (r.any_text(&word)) out->argv.push_back(std::move(word));
       });
       if (r.found() == before && out->argv.empty()) r.expected("a list of at least one word");
     }},
    {"cwd", [](TableReader& r, Example* out) { read_directory(r, &out->cwd); }},
    {"mode", [](TableReader& r, Example* out) { r.text(&out->mode); }},
};

}  // namespace

void read_directory(TableReader& reader, std::string* out) {
  if (reader.text(out) && out->front() != '/') reader.expected("an absolute path");
}

void read_command_lines(TableReader& reader, std::vector<Example>* out) {
  reader.each(kMaxListItems, [&] {
    Example example;
    const int type = lua_type(reader.state(), -1);
    if (type == LUA_TSTRING) {
      if (reader.text(&example.command)) out->push_back(std::move(example));
      return;
    }
    if (type != LUA_TTABLE) return reader.expected(kExampleShape);
    if (!TableReader::fields(reader, kExampleFields, kExampleShape, &example)) return;
    if (example.command.empty() == example.argv.empty()) {
      return reader.fault("must have command or argv, and not both");
    }
    out->push_back(std::move(example));
  });
}

}  // namespace gibbous::lua
