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

void JournalPages::read() {
  effect_->context.recording->items(
      run_, since_, kPageItems, kPageBytes,
      [self = shared_from_this()](Result<RecordedItems> got) { self->on_page(std::move(got)); });
}

void JournalPages::on_page(Result<RecordedItems> got) {
  if (effect_->cancelled || effect_->task.expired()) return;
  if (got && !may_see(*effect_, got->run)) got = not_recorded(run_);
  if (!got) return fail_named(*effect_, got.status(), run_);
  for (const StoredItem& item : got->page.items) on_item_(item);
  since_ = got->page.next_since;
  if (got->page.more) return read();
  effect_->answer(on_end_(got->run));
}

}  // namespace gibbous::lua
