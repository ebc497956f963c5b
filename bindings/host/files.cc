#include "gibbous/files.h"

#include "bindings/host/places.h"
#include "bindings/json/text.h"
#include "bindings/lua/load/config.h"
#include "runtime/base/clock.h"

namespace gibbous {

Result<std::string> read_lua_table(const std::string& path) {
  const auto table = lua::load_table(path, SystemClock());
  if (!table) return table.status();
  return to_text(*table);
}

Result<std::string> shipped_scripts(const std::string& name) {
  const auto share = host::find_share();
  if (!share) return share.status();
  return *share + "/scripts/" + name;
}

}  // namespace gibbous
