// What an approval allows, and for how long.
#include "runtime/audit/approval_store.h"

#include "runtime/base/random_id.h"

#include "tests/runtime/audit/approval_desk.h"

namespace gibbous::testing {
namespace {

TEST_CASE("nothing is approved before a person approves it") {
  Desk desk;
  ApprovalStore store = desk.store();
  CHECK_FALSE(store.find(push_query()));
  CHECK(store.list().value().empty());
  CHECK_FALSE(fs::exists(desk.directory()));
  CHECK(desk.problems.empty());
}

TEST_CASE("a remembered approval holds for the same command, with all its details") {
  Desk desk;
  ApprovalStore store = desk.store();
  const auto kept = store.remember(push_approval());
  REQUIRE(kept);
  CHECK(kept->id.size() == 8);
  const auto found = desk.store().find(push_query());
  REQUIRE(found);
  CHECK(found->id == kept->id);
  CHECK(found->created == desk.now());
  CHECK(found->policy_hash == "9f86d081");
  CHECK(found->who == "terminal");
  CHECK(found->mode == "default");
  struct stat file {};
  REQUIRE(::stat(desk.file().c_str(), &file) == 0);
  CHECK((file.st_mode & 0777) == 0600);
  REQUIRE(::stat(desk.directory().c_str(), &file) == 0);
  CHECK((file.st_mode & 0777) == 0700);
}

TEST_CASE("an approval holds for exactly its subject, its kind and its workspace") {
  Desk desk;
  ApprovalStore store = desk.store();
  REQUIRE(store.remember(push_approval()));
  ApprovalQuery query = push_query();
  SECTION("a longer command") {
    query.candidates[0].subject = "git push origin main --force";
  }
  SECTION("a shorter command") {
    query.candidates[0].subject = "git push origin";
  }
  SECTION("a rule of that name") {
    query.candidates[0].kind = ApprovalKind::kRule;
  }
  SECTION("another workspace") {
    query.workspace = "/home/user/other";
  }
  SECTION("a workspace below") {
    query.workspace = "/home/user/project/sub";
  }
  SECTION("no candidate") {
    query.candidates.clear();
  }
  CHECK_FALSE(store.find(query));
}

TEST_CASE("an approval holds in its mode and in looser ones, never in stricter ones") {
  Desk desk;
  ApprovalStore store = desk.store();
  REQUIRE(store.remember(push_approval()));
  const auto found_in = [&](const char* mode, int rank) {
    ApprovalQuery query = push_query();
    query.mode = mode;
    query.mode_rank = rank;
    return store.find(query).has_value();
  };
  CHECK(found_in("default", kDefault));
  CHECK(found_in("auto", kAuto));
  CHECK(found_in("dangerous", kDangerous));
  CHECK_FALSE(found_in("plan", kPlan));
  // Neither looser nor the same.
  CHECK_FALSE(found_in("ci", kDefault));
  // The same name, but the mode has become stricter since.
  CHECK_FALSE(found_in("default", kPlan));
}

TEST_CASE("the first approved candidate is found") {
  Desk desk;
  ApprovalStore store = desk.store();
  Approval rule = push_approval();
  rule.kind = ApprovalKind::kRule;
  rule.subject = "git.push";
  REQUIRE(store.remember(rule));
  ApprovalQuery query = push_query();
  query.candidates.push_back({ApprovalKind::kRule, "git.push"});
  CHECK(store.find(query)->subject == "git.push");
  REQUIRE(store.remember(push_approval()));
  CHECK(store.find(query)->subject == "git push origin main");
}

TEST_CASE("an approval ends at the second at which it expires") {
  Desk desk;
  ApprovalStore store = desk.store();
  const auto scope = GENERATE(ApprovalScope::kSession, ApprovalScope::kRemembered);
  Approval approval = push_approval_of("a");
  approval.scope = scope;
  approval.expires = desk.now() + kHour;
  REQUIRE(store.remember(approval));
  desk.clock.advance(std::chrono::seconds(kHour - 1));
  CHECK(store.find(push_query()));
  desk.clock.advance(std::chrono::seconds(1));
  CHECK_FALSE(store.find(push_query()));
  CHECK(store.list().value().empty());
  Approval other = push_approval();
  other.subject = "make";
  REQUIRE(store.remember(other));
  CHECK(desk.text().find("git push") == std::string::npos);
}

TEST_CASE("of two approvals, the one that holds longer is found") {
  Desk desk;
  ApprovalStore store = desk.store();
  Approval approval = push_approval_of("a");
  approval.expires = desk.now() + kHour;
  REQUIRE(store.remember(approval));
  REQUIRE(store.remember(push_approval()));
  CHECK(store.find(push_query())->expires == 0);
}

TEST_CASE("a session's approval holds for that session, and never reaches the disk") {
  Desk desk;
  ApprovalStore store = desk.store();
  REQUIRE(store.remember(push_approval_of("a")));
  CHECK(store.find(push_query()));
  ApprovalQuery other = push_query();
  other.session = "b";
  CHECK_FALSE(store.find(other));
  other.session = "";
  CHECK_FALSE(store.find(other));
  CHECK_FALSE(desk.store().find(push_query()));
  CHECK_FALSE(fs::exists(desk.file()));
}

TEST_CASE("the same answer given again replaces the first") {
  Desk desk;
  ApprovalStore store = desk.store();
  REQUIRE(store.remember(push_approval()));
  Approval again = push_approval();
  again.expires = desk.now() + kHour;
  REQUIRE(store.remember(again));
  const auto all = store.list();
  REQUIRE(all.value().size() == 1);
  CHECK(all.value()[0].expires == again.expires);
}

TEST_CASE("an approval with a missing or overlong field is refused with the field's name") {
  Desk desk;
  ApprovalStore store = desk.store();
  Approval approval = push_approval();
  std::string field;
  SECTION("no subject") {
    approval.subject = "", field = "subject";
  }
  SECTION("a long subject") {
    approval.subject = std::string(kMaxSubjectBytes + 1, 'x'), field = "subject";
  }
  SECTION("no mode") {
    approval.mode = "", field = "mode";
  }
  SECTION("no workspace") {
    approval.workspace = "", field = "workspace";
  }
  SECTION("a relative workspace") {
    approval.workspace = "project", field = "workspace";
  }
  SECTION("a long name") {
    approval.who = std::string(kMaxApprovalFieldBytes + 1, 'x'), field = "who";
  }
  SECTION("in the past") {
    approval.expires = desk.now(), field = "expires";
  }
  SECTION("before time began") {
    approval.expires = -1, field = "expires";
  }
  const auto kept = store.remember(approval);
  CHECK(kept.status().code() == "invalid_arguments");
  CHECK_THAT(kept.status().message(), Catch::Matchers::StartsWith(field + ": expected"));
  CHECK(store.list().value().empty());
}

TEST_CASE("a subject of the longest length, and with any bytes, comes back unchanged") {
  Desk desk;
  ApprovalStore store = desk.store();
  std::string subject;
  for (int byte = 0; byte < 256; ++byte) subject += static_cast<char>(byte);
  subject.append(kMaxSubjectBytes - subject.size(), '\n');
  Approval approval = push_approval();
  approval.subject = subject;
  REQUIRE(store.remember(approval));
  ApprovalQuery query = push_query();
  query.candidates[0].subject = subject;
  CHECK(desk.store().find(query));
}

TEST_CASE("the number of approvals is limited, and expired ones make room") {
  Desk desk;
  ApprovalStore store = desk.store();
  Approval approval = push_approval();
  approval.expires = desk.now() + kHour;
  const std::size_t kept = kMaxStateTableBytes / (kMaxSubjectBytes + 1);
  auto next = [&, number = 0]() mutable {
    approval.subject = std::to_string(number++);
    approval.subject.resize(kMaxSubjectBytes, 'x');
  };
  // All but the last in one write: each rewrites the file, which takes minutes under sanitizers.
  REQUIRE(change_state_table(kApprovalTable, desk.directory(), {}, [&](StateRows& rows) {
    while (rows.size() + 1 < kept) {
      next();
      approval.id = random_id();
      rows.push_back(row_of(approval));
    }
    return Result(true);
  }));
  next();
  CHECK(store.remember(approval).status().ok());
  next();
  CHECK(store.remember(approval).status().code() == "approvals_full");
  CHECK(store.list().value().size() == kept);
  approval.expires = 0;
  desk.clock.advance(std::chrono::seconds(kHour));
  CHECK(store.remember(approval));
}

TEST_CASE("the approvals of one session are limited") {
  Desk desk;
  ApprovalStore store = desk.store();
  Approval approval = push_approval_of("a");
  for (std::size_t each = 0; each < kMaxApprovals; ++each) {
    approval.subject = std::to_string(each);
    REQUIRE(store.remember(approval));
  }
  approval.subject = "one more";
  CHECK(store.remember(approval).status().code() == "approvals_full");
}

TEST_CASE("an approval revoked by its id, or by a unique prefix, no longer holds") {
  Desk desk;
  ApprovalStore store = desk.store();
  const auto kept = store.remember(push_approval());
  CHECK(store.revoke("").status().code() == "approval_not_found");
  CHECK(store.revoke(kept->id + "x").status().code() == "approval_not_found");
  CHECK(store.find(push_query()));
  const std::size_t length = GENERATE(std::size_t{1}, std::size_t{8});
  const auto revoked = store.revoke(kept->id.substr(0, length));
  REQUIRE(revoked);
  CHECK(revoked->subject == "git push origin main");
  CHECK_FALSE(store.find(push_query()));
  CHECK(store.revoke(kept->id).status().code() == "approval_not_found");
}

TEST_CASE("a prefix that two ids share revokes neither") {
  Desk desk;
  ApprovalStore store = desk.store();
  std::string first_letters;
  std::string twice;
  Approval approval = push_approval();
  // 64 letters: after 65 approvals two begin with the same.
  for (int each = 0; twice.empty(); ++each) {
    approval.subject = std::to_string(each);
    const std::string letter = store.remember(approval)->id.substr(0, 1);
    if (first_letters.find(letter) != std::string::npos) twice = letter;
    first_letters += letter;
  }
  CHECK(store.revoke(twice).status().code() == "approval_ambiguous");
  CHECK(store.list().value().size() == first_letters.size());
  CHECK(store.revoke_all().value() == first_letters.size());
  CHECK(store.list().value().empty());
  CHECK(desk.store().list().value().empty());
}

TEST_CASE("without a state directory sessions have approvals, and nothing is remembered") {
  const ManualClock clock;
  ApprovalStore store("", clock);
  CHECK(store.remember(push_approval()).status().code() == "state_dir_unusable");
  REQUIRE(store.remember(push_approval_of("a")));
  CHECK(store.find(push_query()));
  CHECK(store.list().value().empty());
  CHECK(store.revoke("a").status().code() == "approval_not_found");
  CHECK(store.revoke_all().value() == 0);
}

}  // namespace
}  // namespace gibbous::testing
