// The file that several processes share: each obeys the changes of the others, and an invalid
// approvals file approves nothing.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/audit/approval_store.h"
#include "tests/runtime/audit/approval_desk.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

std::string text_of(const Approval& approval, const std::string& key) {
  return encode_state_table(kApprovalTable, {row_of(approval)}, key);
}

TEST_CASE("an approval that another process revokes is not found again") {
  Desk desk;
  ApprovalStore server = desk.store();
  const auto kept = server.remember(push_approval());
  REQUIRE(server.find(push_query()));
  const pid_t child = gibbous::testing::patient_fork();
  if (child == 0) {
    const bool revoked = desk.store().revoke(kept->id).ok();
    ::_exit(revoked ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  CHECK_FALSE(server.find(push_query()));
}

TEST_CASE("an approval that another process stores is found") {
  Desk desk;
  ApprovalStore one = desk.store();
  ApprovalStore two = desk.store();
  CHECK_FALSE(two.find(push_query()));
  REQUIRE(one.remember(push_approval()));
  CHECK(two.find(push_query()));
}

TEST_CASE("two stores that write in turn lose none of each other's approvals") {
  constexpr int kRounds = 20;
  Desk desk;
  ApprovalStore stores[] = {desk.store(), desk.store()};
  Approval approval = push_approval();
  for (int round = 0; round < kRounds; ++round) {
    approval.subject = std::to_string(round);
    REQUIRE(stores[round % 2].remember(approval));
  }
  CHECK(stores[0].list().value().size() == kRounds);
  CHECK(stores[1].list().value().size() == kRounds);
}

TEST_CASE("processes that write at the same time lose none of each other's approvals") {
  constexpr int kProcesses = 4;
  constexpr int kEach = 5;
  Desk desk;
  for (int process = 0; process < kProcesses; ++process) {
    if (gibbous::testing::patient_fork() != 0) continue;
    ApprovalStore store = desk.store();
    Approval approval = push_approval();
    for (int each = 0; each < kEach; ++each) {
      approval.subject = std::to_string(process) + "." + std::to_string(each);
      // On a busy disk the others wait for longer than one of them works.
      while (store.remember(approval).status().code() == "state_busy") {
      }
    }
    ::_exit(0);
  }
  for (int process = 0; process < kProcesses; ++process) REQUIRE(::wait(nullptr) > 0);
  CHECK(desk.store().list().value().size() == kProcesses * kEach);
}

TEST_CASE("many changes in a moment are all seen, even with equal time stamps") {
  constexpr int kRounds = 50;
  Desk desk;
  ApprovalStore server = desk.store();
  ApprovalStore command = desk.store();
  for (int round = 0; round < kRounds; ++round) {
    const auto kept = command.remember(push_approval());
    REQUIRE(server.find(push_query()));
    REQUIRE(command.revoke(kept->id));
    REQUIRE_FALSE(server.find(push_query()));
  }
}

TEST_CASE("an edited or incomplete file approves nothing, and stays as it is") {
  Desk desk;
  ApprovalStore store = desk.store();
  REQUIRE(store.remember(push_approval()));
  std::string text = desk.text();
  SECTION("another command") {
    text.replace(text.find("main"), 4, "evil");
  }
  SECTION("one line more") {
    const std::size_t line = text.find('\n') + 1;
    text += text.substr(line);
  }
  SECTION("cut short") {
    text.resize(text.size() / 2);
  }
  SECTION("empty") {
    text.clear();
  }
  SECTION("something else") {
    text = "{\"allow\": \"*\"}\n";
  }
  SECTION("no version") {
    text.replace(text.find(" 2 "), 3, " x ");
  }
  SECTION("too large") {
    text.resize(kMaxStateTableBytes + 1, 'x');
  }
  desk.overwrite(text);
  CHECK_FALSE(store.find(push_query()));
  CHECK_FALSE(store.find(push_query()));
  REQUIRE(desk.problems.size() == 1);
  CHECK(desk.problems[0].code() == "approvals_damaged");
  CHECK_THAT(desk.problems[0].message(), Contains(desk.file()) && Contains("Remove it"));
  CHECK(store.remember(push_approval()).status().code() == "approvals_damaged");
  CHECK(store.revoke_all().status().code() == "approvals_damaged");
  CHECK(desk.text() == text);

  fs::remove(desk.file());
  REQUIRE(store.remember(push_approval()));
  CHECK(store.find(push_query()));
}

TEST_CASE("malformed text with a valid checksum approves nothing") {
  Desk desk;
  ApprovalStore store = desk.store();
  REQUIRE(store.remember(push_approval()));
  std::ifstream key(desk.directory() + "/approvals.key");
  const std::string secret{std::istreambuf_iterator<char>(key), {}};
  Approval approval = push_approval();
  approval.id = "aB3_x9Qz";
  SECTION("a short id") {
    approval.id = "aB3";
  }
  SECTION("a relative workspace") {
    approval.workspace = "project";
  }
  SECTION("no subject") {
    approval.subject.clear();
  }
  SECTION("a negative end") {
    approval.expires = -1;
  }
  desk.overwrite(text_of(approval, secret));
  CHECK(store.list().status().code() == "approvals_damaged");
}

TEST_CASE("what was not written with the key of its state directory approves nothing") {
  Desk desk;
  ApprovalStore store = desk.store();
  REQUIRE(store.remember(push_approval()));
  REQUIRE(store.find(push_query()));
  const std::string key_file = fs::path(desk.file()).parent_path() / "approvals.key";
  struct stat info {};
  REQUIRE(::stat(key_file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  Approval forged = push_approval();
  forged.id = "aB3_x9Qz";
  SECTION("by somebody who has another key") {
    desk.overwrite(text_of(forged, "guessed"));
  }
  SECTION("by somebody who has taken the key away") {
    fs::remove(key_file);
    desk.overwrite(text_of(forged, ""));
  }
  SECTION("by an earlier version, which had none") {
    std::string text = text_of(forged, "");
    text.replace(text.find("2 "), 2, "1 ");
    desk.overwrite(text);
  }
  CHECK_FALSE(store.find(push_query()));
  CHECK(store.list().status().code() == "approvals_damaged");
}

TEST_CASE("an approvals file of a newer Gibbous approves nothing, and stays unchanged") {
  Desk desk;
  ApprovalStore store = desk.store();
  REQUIRE(store.remember(push_approval()));
  const std::string text = GENERATE(as<std::string>(), "gibbous-approvals 3 something else\n",
                                    "gibbous-approvals 99999999\n", "gibbous-approvals 4",
                                    // Larger than a file of this version can be.
                                    "gibbous-approvals 3 " + std::string(kMaxStateTableBytes, 'x'));
  desk.overwrite(text);
  CHECK_FALSE(store.find(push_query()));
  CHECK(store.list().status().code() == "approvals_newer");
  CHECK_THAT(store.list().status().message(), Contains("this program knows 2"));
  CHECK(store.remember(push_approval()).status().code() == "approvals_newer");
  CHECK(store.revoke_all().status().code() == "approvals_newer");
  CHECK(desk.problems.size() == 1);
  CHECK(desk.text() == text);
}

TEST_CASE("a file that other users can write approves nothing, and is left unchanged") {
  Desk desk;
  ApprovalStore store = desk.store();
  REQUIRE(store.remember(push_approval()));
  const fs::path path = desk.file();
  const fs::path elsewhere = desk.dir.path() + "/elsewhere";
  std::string why;
  SECTION("the group may write") {
    REQUIRE(::chmod(path.c_str(), 0620) == 0);
    why = "others may write to it";
  }
  SECTION("everybody may write") {
    REQUIRE(::chmod(path.c_str(), 0602) == 0);
    why = "others may write to it";
  }
  SECTION("a symbolic link to a good one") {
    fs::rename(path, elsewhere);
    fs::create_symlink(elsewhere, path);
    why = "symbolic link";
  }
  SECTION("a hard link") {
    fs::create_hard_link(path, elsewhere);
    why = "another name";
  }
  SECTION("a fifo") {
    fs::remove(path);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    why = "not a regular file";
  }
  SECTION("a directory") {
    fs::remove(path);
    fs::create_directory(path);
    why = "not a regular file";
  }
  SECTION("another user's") {
    constexpr uid_t kNobody = 65534;
    if (::chown(path.c_str(), kNobody, kNobody) != 0) return;  // only root can give files away
    why = "another user";
  }
  CHECK_FALSE(store.find(push_query()));
  CHECK_FALSE(store.find(push_query()));
  REQUIRE(desk.problems.size() == 1);
  CHECK_THAT(desk.problems[0].message(), Contains(why) && Contains(path.string()));
  CHECK(store.list().status().code() == "state_file_unusable");
  CHECK(store.remember(push_approval()).status().code() == "state_file_unusable");
  CHECK(store.revoke_all().status().code() == "state_file_unusable");
  CHECK(fs::exists(fs::symlink_status(path)));
}

TEST_CASE("approvals hold again when the file is repaired") {
  Desk desk;
  ApprovalStore store = desk.store();
  REQUIRE(store.remember(push_approval()));
  REQUIRE(::chmod(desk.file().c_str(), 0666) == 0);
  CHECK_FALSE(store.find(push_query()));
  REQUIRE(::chmod(desk.file().c_str(), 0600) == 0);
  CHECK(store.find(push_query()));
}

TEST_CASE("a directory that others may write to has no approvals") {
  Desk desk;
  REQUIRE(desk.store().remember(push_approval()));
  REQUIRE(::chmod(desk.directory().c_str(), 0770) == 0);
  ApprovalStore store = desk.store();
  CHECK_FALSE(store.find(push_query()));
  CHECK(desk.problems.size() == 1);
  CHECK(store.remember(push_approval()).status().code() == "state_dir_unusable");
}

TEST_CASE("a session's approvals hold without the file") {
  Desk desk;
  ApprovalStore store = desk.store();
  REQUIRE(store.remember(push_approval()));
  REQUIRE(store.remember(push_approval_of("a")));
  REQUIRE(::chmod(desk.file().c_str(), 0666) == 0);
  CHECK(store.find(push_query())->scope == ApprovalScope::kSession);
}

TEST_CASE("approvals end when their file is removed") {
  Desk desk;
  ApprovalStore store = desk.store();
  REQUIRE(store.remember(push_approval()));
  SECTION("the file") {
    fs::remove(desk.file());
  }
  SECTION("the directory") {
    fs::remove_all(desk.directory());
  }
  SECTION("the directory, and a new one in its place") {
    fs::rename(desk.directory(), desk.dir.path() + "/old");
    fs::create_directory(desk.directory());
  }
  CHECK_FALSE(store.find(push_query()));
  CHECK(desk.problems.empty());
  CHECK(store.remember(push_approval()));
}

TEST_CASE("a lock that another process never releases is an error, not an endless wait") {
  Desk desk;
  ApprovalStore store = desk.store();
  const auto kept = store.remember(push_approval());
  const std::string lock = desk.directory() + "/approvals.lock";
  UniqueFd held(::open(lock.c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(::flock(held.get(), LOCK_EX) == 0);
  CHECK(store.remember(push_approval()).status().code() == "state_busy");
  CHECK(store.revoke(kept->id).status().code() == "state_busy");
  CHECK(store.find(push_query()));
  // A damaged file causes no wait either.
  desk.overwrite("damaged");
  CHECK_FALSE(store.find(push_query()));
  CHECK(desk.problems.size() == 1);
}

TEST_CASE("a full disk leaves everything as it was") {
  Desk desk;
  ApprovalStore store = desk.store();
  REQUIRE(store.remember(push_approval()));
  const std::string before = desk.text();
  const pid_t child = gibbous::testing::patient_fork();
  if (child == 0) {
    const rlimit limit{64, 64};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Approval other = push_approval();
    other.subject = "make install";
    const bool refused = store.remember(other).status().code() == "state_file_unusable";
    ::_exit(refused && store.find(push_query()) ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(desk.text() == before);
  CHECK_FALSE(fs::exists(desk.file() + ".new"));
}

}  // namespace
}  // namespace gibbous::testing
