#include "gibbous/files.h"

#include "bindings/host/places.h"
#include "bindings/json/text.h"
#include "bindings/lua/api/api_names.h"
#include "bindings/lua/load/config.h"
#include "bindings/lua/load/global_check.h"
#include "runtime/base/clock.h"

namespace gibbous {

Result<std::string> read_lua_table(const std::string& path) {
  const auto text = lua::read_config_text(path);
  return text ? read_lua_table(path, *text) : text.status();
}

Result<std::string> read_lua_table(const std::string& path, const std::string& text) {
  const auto table = lua::load_table(path, text, SystemClock());
  if (!table) return table.status();
  return to_text(*table);
}

Result<std::string> shipped_scripts(const std::string& name) {
  const auto share = host::find_share();
  if (!share) return share.status();
  return *share + "/scripts/" + name;
}

std::vector<std::string> global_problems(const std::string& scripts_dir,
                                         const std::string& policies_dir) {
  std::vector<std::string> problems;
  const auto add = [&problems](const std::string& directory, const lua::ApiGlobals& api) {
    if (directory.empty()) return;
    for (const lua::ScriptError& fault : lua::global_faults(directory, api)) {
      problems.push_back(fault.text());
    }
  };
  add(scripts_dir, {.there = lua::api_names(), .withheld = {}});
  add(policies_dir, {.there = {"json", "log", "schema", "host"}, .withheld = lua::api_names()});
  return problems;
}

}  // namespace gibbous
