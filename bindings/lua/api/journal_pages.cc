#include "bindings/lua/api/journal_pages.h"

#include <lua.hpp>

#include <utility>

#include "bindings/lua/api/api.h"
#include "bindings/lua/api/api_journal.h"
#include "bindings/lua/call/call.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kPageItems = 10'000;
constexpr std::size_t kPageBytes = std::size_t{1} << 20;

}  // namespace

JournalPages::JournalPages(Recording& recording, std::string run, const std::shared_ptr<Task>& task,
                           OnItem on_item, OnEnd on_end)
    : recording_(recording),
      run_(std::move(run)),
      on_item_(std::move(on_item)),
      on_end_(std::move(on_end)),
      complete_(task->completer()),
      task_(task) {}

void JournalPages::read() {
  recording_.items(
      run_, since_, kPageItems, kPageBytes,
      [self = shared_from_this()](Result<RecordedItems> got) { self->on_page(std::move(got)); });
}

void JournalPages::on_page(Result<RecordedItems> got) {
  const auto asker = task_.lock();
  if (!asker || asker->call().cancelled()) return;
  if (got && !may_see(asker->call(), got->run)) got = not_recorded(run_);
  if (!got) {
    complete_([status = named_run_error(got.status(), run_), id = run_](lua_State* to) {
      return push_error(to, status, id);
    });
    return;
  }
  for (const StoredItem& item : got->page.items) on_item_(item);
  since_ = got->page.next_since;
  if (got->page.more) return read();
  complete_([answer = on_end_(got->run)](lua_State* to) {
    push_json(to, answer);
    return 1;
  });
}

}  // namespace gibbous::lua
