// journal.error_excerpt: why a run failed that only the journal knows.
#include <lua.hpp>

#include <memory>
#include <string>
#include <utility>

#include "bindings/lua/api/api.h"
#include "bindings/lua/api/api_journal.h"
#include "bindings/lua/api/journal_pages.h"
#include "bindings/lua/api/output_value.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/check/wrong_use.h"
#include "runtime/output/error_excerpt.h"
#include "runtime/output/stream.h"

namespace gibbous::lua {
namespace {

// The output of a run as memory had it, with its size.
struct RecordedOutput {
  Stream out;
  Stream err;

  void add(const StoredItem& item) {
    if (item.type == ItemType::kStdout || item.type == ItemType::kTerminal) {
      out.append(item.payload);
    } else if (item.type == ItemType::kStderr) {
      err.append(item.payload);
    }
  }
};

}  // namespace

int l_journal_error_excerpt(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_recorded_run(state);
    const std::size_t max_bytes =
        parse_error_excerpt("journal.error_excerpt", options_at(state, 2));
    const auto output = std::make_shared<RecordedOutput>();
    return ask_journal(state, [&](const std::shared_ptr<Effect>& effect) {
      std::make_shared<JournalPages>(
          effect, id, [output](const StoredItem& item) { output->add(item); },
          [output, max_bytes, &context = effect->context](const RunRecord&) {
            output->out.set_ended();
            output->err.set_ended();
            return Json(
                error_excerpt(output->out, output->err, max_bytes, *error_patterns_of(context)));
          })
          ->read();
    });
  });
}

}  // namespace gibbous::lua
