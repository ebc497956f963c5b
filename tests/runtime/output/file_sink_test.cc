// FileSink on real files: their contents, bounds and rotation, and what happens when the disk is
// full, slow or gone. Runs as root and as any other user.
#include "runtime/output/file_sink.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/runtime/output/desk.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

TEST_CASE("a file gets exactly what a stream gets") {
  Desk desk;
  desk.spec.path = "deep/er/out.log";
  const std::string text = numbered(std::size_t{3} << 20);
  desk.out.append(text.substr(0, 10));  // before there was a sink
  REQUIRE(desk.open());
  desk.say(text.substr(10, 1000));
  REQUIRE(desk.settle());
  desk.say(text.substr(1010));
  REQUIRE(desk.finish());
  CHECK(desk.text("deep/er/out.log") == text);
  CHECK(desk.sink->status().written_bytes == text.size());
  CHECK(desk.sink->status().lost_bytes == 0);
  CHECK(desk.sink->status().files == 1);
  CHECK(desk.told.errors.empty());
  CHECK(fs::status(desk.file("deep/er/out.log")).permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(fs::status(desk.file("deep/er")).permissions() == fs::perms::owner_all);
}

TEST_CASE("two streams go into one file in the order in which they come") {
  Desk desk;
  REQUIRE(desk.open(/*both=*/true));
  for (int i = 0; i < 3; ++i) {
    desk.say("out\n");
    REQUIRE(desk.settle());
    desk.complain("err\n");
    REQUIRE(desk.settle());
  }
  REQUIRE(desk.finish());
  CHECK(desk.text() == "out\nerr\nout\nerr\nout\nerr\n");
}

TEST_CASE("large output of two streams alternates between lines") {
  Desk desk;
  const std::string text = numbered(std::size_t{2} << 20) + "\n";
  std::string other = text;
  for (char& c : other) c = c == 'l' ? 'L' : c;
  REQUIRE(desk.open(/*both=*/true));
  desk.out.append(text);
  desk.complain(other);
  REQUIRE(desk.finish());
  std::string mine;
  std::string theirs;
  std::istringstream lines(desk.text());
  for (std::string line; std::getline(lines, line);) {
    (line.starts_with("L") ? theirs : mine) += line + "\n";
  }
  CHECK(mine == text);
  CHECK(theirs == other);
}

TEST_CASE("each of two streams can have its own file") {
  Desk desk;
  REQUIRE(desk.open());
  FileSinkSpec spec = desk.spec;
  spec.path = "err.log";
  auto second =
      FileSink::create(desk.threads, desk.clock, spec, {{&desk.err, "stderr"}}, desk.told);
  REQUIRE(second);
  desk.say("out");
  desk.err.append("err");
  (*second)->notify(0);
  bool done = false;
  (*second)->finish([&done] { done = true; });
  REQUIRE(desk.finish());
  REQUIRE(desk.loop.until([&done] { return done; }));
  CHECK(desk.text() == "out");
  CHECK(desk.text("err.log") == "err");
}

TEST_CASE("the beginning of a character is held back until its rest comes or the sink finishes") {
  Desk desk;
  REQUIRE(desk.open());
  desk.say("caf\xC3");
  REQUIRE(desk.loop.until([&] { return desk.sink->status().written_bytes == 3; }));
  CHECK(desk.text() == "caf");
  REQUIRE(desk.finish());
  CHECK(desk.text() == "caf\xC3");
}

TEST_CASE("files rotate when they are full, and the oldest is removed") {
  Desk desk;
  desk.spec.max_bytes = kMinSinkBytes;
  desk.spec.files = 3;
  const std::string text = numbered(kMinSinkBytes * 4 + 100);
  REQUIRE(desk.open());
  desk.say(text);
  REQUIRE(desk.finish());
  CHECK(desk.text("out.log.2") == text.substr(kMinSinkBytes * 2, kMinSinkBytes));
  CHECK(desk.text("out.log.1") == text.substr(kMinSinkBytes * 3, kMinSinkBytes));
  CHECK(desk.text() == text.substr(kMinSinkBytes * 4));
  CHECK(desk.sink->status().files == 3);
  CHECK(desk.sink->status().written_bytes == text.size());
  CHECK_FALSE(fs::exists(desk.file("out.log.3")));
  CHECK_FALSE(desk.sink->status().full);
}

TEST_CASE("a file that is just full is not rotated before there is more") {
  Desk desk;
  desk.spec.max_bytes = kMinSinkBytes;
  desk.spec.files = 2;
  REQUIRE(desk.open());
  desk.say(numbered(kMinSinkBytes));
  REQUIRE(desk.settle());
  CHECK_FALSE(fs::exists(desk.file("out.log.1")));
  desk.say("x");
  REQUIRE(desk.finish());
  CHECK(desk.text() == "x");
  CHECK(desk.text("out.log.1") == numbered(kMinSinkBytes));
}

TEST_CASE("without rotation the quota ends the file with a line that says so") {
  Desk desk;
  desk.spec.max_bytes = kMinSinkBytes;
  const std::string text = numbered(kMinSinkBytes * 2);
  REQUIRE(desk.open());
  desk.say(text);
  REQUIRE(desk.settle());
  const FileSinkStatus& status = desk.sink->status();
  CHECK(status.full);
  CHECK(status.error.empty());
  const std::string note =
      "[gibbous: the limit of 4096 bytes is reached: what follows is not written]\n";
  std::string expected = text.substr(0, static_cast<std::size_t>(status.written_bytes));
  if (!expected.ends_with('\n')) expected += '\n';
  CHECK(desk.text() == expected + note);
  CHECK(desk.text().size() <= kMinSinkBytes);
  CHECK(desk.text().size() >= kMinSinkBytes - 1);

  desk.say("more");
  REQUIRE(desk.finish());
  CHECK(desk.text() == expected + note);
  CHECK(status.lost_bytes == text.size() + 4 - status.written_bytes);
  CHECK(desk.told.errors.empty());
}

TEST_CASE("append continues at the end of a file, and its bytes count") {
  Desk desk;
  desk.spec.append = true;
  desk.spec.max_bytes = kMinSinkBytes;
  desk.spec.files = 2;
  const std::string before = numbered(kMinSinkBytes - 2);
  desk.dir.write("out.log", before);
  REQUIRE(desk.open());
  desk.say("abcd");
  REQUIRE(desk.finish());
  CHECK(desk.text("out.log.1") == before + "ab");
  CHECK(desk.text() == "cd");
}

TEST_CASE("append to a file that is full writes nothing") {
  Desk desk;
  desk.spec.append = true;
  desk.spec.max_bytes = kMinSinkBytes;
  desk.dir.write("out.log", numbered(kMinSinkBytes));
  REQUIRE(desk.open());
  desk.say("abcd");
  REQUIRE(desk.finish());
  CHECK(desk.text() == numbered(kMinSinkBytes));
  CHECK(desk.sink->status().full);
  CHECK(desk.sink->status().lost_bytes == 4);
}

TEST_CASE("without append the file is emptied, and its rotated files are removed") {
  Desk desk;
  desk.spec.files = 3;
  for (const char* name : {"out.log", "out.log.1", "out.log.2", "out.log.3"}) {
    desk.dir.write(name, "old");
  }
  REQUIRE(desk.open());
  desk.say("new");
  REQUIRE(desk.finish());
  CHECK(desk.text() == "new");
  CHECK_FALSE(fs::exists(desk.file("out.log.1")));
  CHECK_FALSE(fs::exists(desk.file("out.log.2")));
  CHECK(desk.text("out.log.3") == "old");  // a sink of three files does not make it
}

TEST_CASE("bytes that the ring loses before the disk takes them are noted in the file") {
  constexpr std::size_t kSmallRing = 4096;
  Desk desk({}, kSmallRing);
  const std::string text = numbered(kSmallRing * 3);
  REQUIRE(desk.open());
  REQUIRE(desk.settle());
  desk.say("no newline");
  REQUIRE(desk.settle());
  desk.say(text);
  REQUIRE(desk.finish());
  CHECK(desk.text() ==
        "no newline\n[gibbous: 8192 bytes of stdout were not written: the disk is slower than the "
        "output]\n" +
            text.substr(kSmallRing * 2));
  CHECK(desk.sink->status().lost_bytes == kSmallRing * 2);
  CHECK(desk.told.errors.empty());
}

TEST_CASE("an outage and its end are reported once, with a retry each second") {
  constexpr std::size_t kSmallRing = 4096;
  constexpr std::size_t kLimit = 1000;
  Desk desk({}, kSmallRing);
  const std::string text = numbered(kSmallRing);
  REQUIRE(desk.open());
  REQUIRE(desk.settle());
  FileSizeLimit limit(kLimit);
  desk.say(text);
  REQUIRE(desk.wait_for_error());
  CHECK(desk.text() == text.substr(0, kLimit));  // a write that was cut short counts
  CHECK_THAT(desk.told.errors[0],
             Contains("out.log") && Contains("File too large") &&
                 Contains(std::to_string(kSmallRing - kLimit) + " bytes are missing"));
  CHECK_FALSE(desk.sink->status().error.empty());

  desk.clock.advance(kSinkRetryInterval);
  desk.say(text);
  desk.say(text);
  // The second attempt fails too; from its end a second has to pass again.
  REQUIRE(desk.loop.until([&] { return desk.sink->status().lost_bytes > 0; }));
  desk.loop.run_for(std::chrono::milliseconds(50));
  limit.lift();
  desk.say("\n");
  desk.loop.run_for(std::chrono::milliseconds(50));
  CHECK(desk.text() == text.substr(0, kLimit));
  CHECK(desk.told.recoveries == 0);

  desk.clock.advance(kSinkRetryInterval);
  desk.sink->notify(0);
  REQUIRE(desk.settle());
  CHECK(desk.told.errors.size() == 1);
  CHECK(desk.told.recoveries == 1);
  CHECK(desk.sink->status().error.empty());
  const std::uint64_t lost = desk.sink->status().lost_bytes;
  CHECK(lost == text.size() * 2 + 1 - kLimit);
  std::string after = (text + "\n").substr(1);
  const std::string head = text.substr(0, kLimit) + (text[kLimit - 1] == '\n' ? "" : "\n");
  CHECK(desk.text() == head + "[gibbous: " + std::to_string(lost) +
                           " bytes of stdout were not written: cannot write to out.log: File too "
                           "large]\n" +
                           after);
}

TEST_CASE("a finish during an outage tries once more and counts the rest as lost") {
  Desk desk;
  desk.spec.directory += "/missing";
  REQUIRE(desk.open());
  desk.say("bytes");
  REQUIRE(desk.wait_for_error());
  const bool repaired = GENERATE(true, false);
  if (repaired) fs::create_directory(desk.spec.directory);
  REQUIRE(desk.finish());
  CHECK(desk.told.errors.size() == 1);
  CHECK(desk.told.recoveries == (repaired ? 1 : 0));
  CHECK(desk.sink->status().lost_bytes == (repaired ? 0 : 5));
  CHECK(desk.sink->status().error.empty() == repaired);
  if (repaired) CHECK(desk.text() == "bytes");
}

// Keeps all threads busy, like a disk that hangs.
class BusyThreads {
 public:
  explicit BusyThreads(DiskThreads& threads) {
    for (std::size_t i = 0; i < DiskThreads::kMostThreads; ++i) {
      threads.run([busy = busy_] { busy->wait(true); }, [this] { --left_; });
    }
  }
  void release() {
    *busy_ = false;
    busy_->notify_all();
  }
  bool idle() const { return left_ == 0; }

 private:
  std::shared_ptr<std::atomic<bool>> busy_ = std::make_shared<std::atomic<bool>>(true);
  std::size_t left_ = DiskThreads::kMostThreads;
};

TEST_CASE("a finish does not wait for a disk that hangs") {
  Desk desk;
  BusyThreads busy(desk.threads);
  REQUIRE(desk.open());
  desk.say("bytes");
  bool done = false;
  desk.sink->finish([&done] { done = true; });
  desk.loop.run_for(std::chrono::milliseconds(120));
  CHECK_FALSE(done);
  desk.clock.advance(kSinkFinishLimit * 2);
  REQUIRE(desk.loop.until([&done] { return done; }));
  CHECK(desk.sink->status().lost_bytes == 5);
  CHECK_THAT(desk.sink->status().error, Contains("does not answer"));
  desk.sink.reset();
  busy.release();
  REQUIRE(desk.loop.until([&busy] { return busy.idle(); }));
}

TEST_CASE("the file says what is missing when the time to finish is over") {
  Desk desk;
  BusyThreads busy(desk.threads);
  REQUIRE(desk.open());
  desk.say("bytes");
  bool done = false;
  desk.sink->finish([&done] { done = true; });
  desk.clock.advance(kSinkFinishLimit);
  busy.release();
  REQUIRE(desk.loop.until([&] { return done && busy.idle(); }));
  CHECK(desk.text() ==
        "[gibbous: 5 bytes of stdout were not written: the disk is slower than the output]\n");
}

TEST_CASE("a sink may be deleted while it writes, and by its own callbacks") {
  Desk desk;
  SECTION("while it opens") {
    REQUIRE(desk.open());
  }
  SECTION("while it writes") {
    REQUIRE(desk.open());
    REQUIRE(desk.settle());
    desk.say(numbered(kSinkBatchBytes));
  }
  SECTION("while it finishes") {
    REQUIRE(desk.open());
    desk.say(numbered(kSinkBatchBytes));
    desk.sink->finish([] { FAIL("a deleted sink reports no end"); });
  }
  SECTION("when it has finished") {
    REQUIRE(desk.open());
    desk.sink->finish([&desk] { desk.sink.reset(); });
    REQUIRE(desk.loop.until([&desk] { return desk.sink == nullptr; }));
  }
  SECTION("when it reports an error") {
    desk.spec.directory += "/missing";
    REQUIRE(desk.open());
    desk.told.then = [&desk] { desk.sink.reset(); };
    REQUIRE(desk.loop.until([&desk] { return desk.sink == nullptr; }));
  }
  desk.sink.reset();
}

TEST_CASE("an idle sink may be deleted after its loop was closed") {
  const TempDir dir;
  const SystemClock clock;
  Stream stream;
  Told told;
  std::unique_ptr<FileSink> sink;
  {
    Loop loop;
    DiskThreads threads(loop.get());
    auto made = FileSink::create(threads, clock, {dir.path(), "out.log", kRoomy},
                                 {{&stream, "stdout"}}, told);
    REQUIRE(made);
    sink = std::move(*made);
    REQUIRE(loop.until([&] { return sink->status().files == 1; }));
    threads.close(nullptr);
    uv_run(loop.get(), UV_RUN_DEFAULT);
  }
  sink.reset();
}

TEST_CASE("the files in order are the end of the stream, for all pieces and rotations") {
  constexpr std::uint32_t kSeeds = 40;
  constexpr std::size_t kMaxPiece = 6000;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&random](std::size_t limit) { return random() % limit; };
    Desk desk;
    desk.spec.files = static_cast<std::uint32_t>(2 + below(4));
    desk.spec.max_bytes = kMinSinkBytes + below(kMinSinkBytes);
    REQUIRE(desk.open());
    std::string whole;
    for (std::size_t piece = below(20); piece > 0; --piece) {
      std::string text;
      for (std::size_t i = below(kMaxPiece); i > 0; --i) text += static_cast<char>(below(256));
      whole += text;
      desk.say(text);
      if (below(3) == 0) desk.loop.turn();
    }
    REQUIRE(desk.finish());
    std::string kept;
    for (std::uint32_t number = desk.spec.files; number-- > 0;) {
      const std::string name = number == 0 ? "out.log" : "out.log." + std::to_string(number);
      const std::string text = desk.text(name);
      CHECK(text.size() <= desk.spec.max_bytes);
      if (number > 0 && fs::exists(desk.file(name))) CHECK(text.size() == desk.spec.max_bytes);
      kept += text;
    }
    CHECK(whole.ends_with(kept));
    CHECK(kept.size() >=
          std::min<std::uint64_t>(whole.size(), (desk.spec.files - 1) * desk.spec.max_bytes));
    CHECK(desk.sink->status().written_bytes == whole.size());
  }
}

// Runs in a file system of its own; returns "" if all is well.
std::string fill_the_disk(const std::string& where) {
  constexpr std::size_t kDiskBytes = std::size_t{64} << 10;
  Desk desk(where);
  if (!desk.open() || !desk.settle()) return "it does not open";
  { std::ofstream(where + "/other") << std::string(kDiskBytes / 2, 'o'); }
  const std::string text = numbered(kDiskBytes * 3 / 4);
  desk.say(text);
  if (!desk.wait_for_error()) return "no error was reported";
  if (desk.told.errors[0].find("No space left on device") == std::string::npos) {
    return desk.told.errors[0];
  }
  if (!text.starts_with(desk.text()) || desk.text().empty()) return "what fits is not there";
  fs::remove(where + "/other");
  desk.clock.advance(kSinkRetryInterval);
  desk.say("end\n");
  if (!desk.settle()) return "it does not go on";
  if (desk.text() != text + "end\n") return "something is missing";
  return desk.told.recoveries == 1 ? "" : "no recovery was reported";
}

// Lets this process mount, as root in a namespace of its own.
bool enter_mount_namespace() {
  const uid_t user = ::geteuid();
  if (::unshare(CLONE_NEWNS | (user == 0 ? 0 : CLONE_NEWUSER)) != 0) return false;
  if (user != 0) {
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
    std::ofstream("/proc/self/gid_map") << "0 " << ::getegid() << " 1";
  }
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

TEST_CASE("a full disk is an outage that ends when there is space") {
  const TempDir dir;
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const pid_t child = gibbous::testing::patient_fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::string said = "skip";
    if (enter_mount_namespace() &&
        ::mount("none", dir.path().c_str(), "tmpfs", 0, "size=64k") == 0) {
      said = fill_the_disk(dir.path());
    }
    static_cast<void>(!::write(ends[1], said.data(), said.size()));
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said;
  std::array<char, 1024> part{};
  for (ssize_t got = 0; (got = ::read(ends[0], part.data(), part.size())) > 0;) {
    said.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  if (said == "skip") {
    WARN("NOT TESTED: no file system can be mounted here, so no disk was full");
    return;
  }
  CHECK(said == "");
}

}  // namespace
}  // namespace gibbous::testing
