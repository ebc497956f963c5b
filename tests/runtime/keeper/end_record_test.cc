// Records of ends: what is written is read back, and a file that cannot be trusted is refused.
#include "runtime/keeper/end_record.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

const std::string kRun = "abCD_1-2";

EndRecord some_record() {
  EndRecord record;
  record.run_id = kRun;
  record.host = {10, 1'000};
  record.keeper = {11, 1'001};
  record.leader = {12, 18'446'744'073'709'551'615ULL};
  record.cause = EndCause::kLimit;
  record.after_host = true;
  record.exit.signal = SIGKILL;
  record.exit.core = true;
  record.exit.user = std::chrono::microseconds(1'234);
  record.exit.system = std::chrono::microseconds(5);
  record.exit.max_rss_kib = 4'096;
  record.limit = {LimitKind::kMemory, 1'000, 1'001};
  record.started_at = 1'700'000'000'000;
  record.ended_at = 1'700'000'001'234;
  record.dropped_bytes = 99;
  record.exit.out_end = 1'000;
  record.exit.err_end = 12;
  return record;
}

EndRecord killed_record() {
  EndRecord record = some_record();
  record.cause = EndCause::kKill;
  record.kill_signal = SIGTERM;
  record.limit.reset();
  record.exit = {};
  record.exit.code = 255;
  return record;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Place {
 public:
  std::string directory() const { return dir_.path() + "/keepers"; }
  std::string file() const { return directory() + "/ended-" + kRun; }
  Result<EndRecord> read() const { return read_end_record(directory(), kRun); }
  // Returns why the record is refused.
  std::string refusal() const {
    const auto read = this->read();
    REQUIRE_FALSE(read.ok());
    CHECK(read.status().code() == "end_record_unusable");
    return read.status().message();
  }
  void put(const std::string& text) const {
    REQUIRE(write_end_record(directory(), some_record()).ok());
    std::ofstream(file()) << text;
  }

 private:
  TempDir dir_;
};

TEST_CASE("a record of an end is read back as it was written") {
  for (const EndRecord& record : {some_record(), killed_record(), EndRecord{kRun}}) {
    const Place place;
    REQUIRE(write_end_record(place.directory(), record).ok());
    const auto read = place.read();
    INFO(read.status().message());
    REQUIRE(read.ok());
    CHECK(to_text(*read) == to_text(record));
    CHECK(read->limit.has_value() == record.limit.has_value());
    CHECK(list_end_records(place.directory(), 10) == std::vector<std::string>{kRun});
    remove_end_record(place.directory(), kRun);
    CHECK(place.read().status().code() == "end_record_missing");
    CHECK(list_end_records(place.directory(), 10).empty());
  }
}

TEST_CASE("the record of an end is this user's alone, and takes the place of an earlier one") {
  const Place place;
  REQUIRE(write_end_record(place.directory(), some_record()).ok());
  REQUIRE(write_end_record(place.directory(), killed_record()).ok());
  CHECK(place.read()->exit.code == 255);
  struct stat status {};
  REQUIRE(::stat(place.file().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  REQUIRE(::stat(place.directory().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("every change of a record is refused, or is another record") {
  const std::string good = to_text(some_record());
  CHECK(good.size() <= kMaxEndRecordBytes);
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char c : {'\0', '\n', ' ', '-', '9', 'x'}) {
      std::string text = good;
      text[at] = c;
      const auto read = parse_end_record(text);
      if (read) CHECK(to_text(*read) == text);
    }
    CHECK_FALSE(parse_end_record(good.substr(0, at)).ok());
  }
  CHECK_FALSE(parse_end_record(good + "\n").ok());
  CHECK_FALSE(parse_end_record(good + good).ok());
}

TEST_CASE("a record that an older keeper left is read, and may be about a detached run") {
  const std::string older =
      "gibbous-end 1\nrun abCD_1-2\nhost 10 1000\nkeeper 11 1001\nleader 12 1002\ncause itself\n"
      "after_host 1\nexit 7 0 0\nusage 1 2 3\nkill 0\nlimit none\ntime 1 2\ndropped 99\n";
  const auto read = parse_end_record(older);
  INFO(read.status().message());
  REQUIRE(read.ok());
  CHECK(read->exit.code == 7);
  CHECK(read->dropped_bytes == 99);
  CHECK(read->detached);
  CHECK(read->exit.out_end == 0);
  CHECK_FALSE(parse_end_record(older + "detached 0 0 0\n").ok());
}

TEST_CASE("numbers outside their ranges make a record unreadable") {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = to_text(killed_record());
    text.replace(text.find(from), from.size(), to);
    return parse_end_record(text).status().message();
  };
  CHECK_THAT(with("exit 255 0 0", "exit 256 0 0"), Catch::Matchers::Contains("\"exit\""));
  CHECK_THAT(with("exit 255 0 0", "exit 255 65 0"), Catch::Matchers::Contains("\"exit\""));
  CHECK_THAT(with("exit 255 0 0", "exit 0255 0 0"), Catch::Matchers::Contains("\"exit\""));
  CHECK_THAT(with("host 10", "host -10"), Catch::Matchers::Contains("\"host\""));
  CHECK_THAT(with("after_host 1", "after_host 2"), Catch::Matchers::Contains("\"after_host\""));
  CHECK_THAT(with("time 1700000000000", "time 99999999999999999"),
             Catch::Matchers::Contains("\"time\""));
  CHECK_THAT(with("dropped 99", "dropped 18446744073709551616"),
             Catch::Matchers::Contains("\"dropped\""));
}

TEST_CASE("a record of another version, another run or too many bytes is refused") {
  const Place place;
  std::string text = to_text(some_record());
  const std::string other = to_text([] {
    EndRecord record = some_record();
    record.run_id = "other";
    return record;
  }());
  place.put("gibbous-end 3\n" + text.substr(text.find('\n') + 1));
  CHECK_THAT(place.refusal(), Catch::Matchers::Contains("another format or version"));
  place.put(other);
  CHECK_THAT(place.refusal(), Catch::Matchers::Contains("about another run"));
  place.put(text + std::string(std::size_t{1} << 20, 'x'));
  CHECK_THAT(place.refusal(), Catch::Matchers::Contains("too large"));
  place.put("");
  CHECK_THAT(place.refusal(), Catch::Matchers::Contains("another format or version"));
}

TEST_CASE("a record that is a link, has two names or is writable for others is refused") {
  const Place place;
  const std::string elsewhere = place.directory() + "/elsewhere";
  place.put(to_text(some_record()));
  SECTION("a symbolic link") {
    REQUIRE(::rename(place.file().c_str(), elsewhere.c_str()) == 0);
    REQUIRE(::symlink(elsewhere.c_str(), place.file().c_str()) == 0);
    CHECK_THAT(place.refusal(), Catch::Matchers::Contains("symbolic link"));
  }
  SECTION("a hard link") {
    REQUIRE(::link(place.file().c_str(), elsewhere.c_str()) == 0);
    CHECK_THAT(place.refusal(), Catch::Matchers::Contains("another name"));
  }
  SECTION("writable for others") {
    REQUIRE(::chmod(place.file().c_str(), 0666) == 0);
    CHECK_THAT(place.refusal(), Catch::Matchers::Contains("others may write"));
  }
  SECTION("a named pipe") {
    REQUIRE(::unlink(place.file().c_str()) == 0);
    REQUIRE(::mkfifo(place.file().c_str(), 0600) == 0);
    CHECK_THAT(place.refusal(), Catch::Matchers::Contains("not a regular file"));
  }
  SECTION("of another user") {
    constexpr uid_t kNobody = 65534;
    if (::chown(place.file().c_str(), kNobody, static_cast<gid_t>(-1)) != 0) return;
    CHECK_THAT(place.refusal(), Catch::Matchers::Contains("another user"));
  }
}

TEST_CASE("writing a record replaces a link with its name, and changes nothing behind it") {
  const Place place;
  place.put("");
  const std::string target = place.directory() + "/target";
  std::ofstream(target) << "untouched";
  for (const std::string& name : {place.file(), place.directory() + "/new-ended-" + kRun}) {
    (void)::unlink(name.c_str());
    REQUIRE(::symlink(target.c_str(), name.c_str()) == 0);
    CHECK(write_end_record(place.directory(), some_record()).ok());
    CHECK(place.read().ok());
    CHECK(read_file(target) == "untouched");
  }
}

TEST_CASE("no record is written through a link in the place of the directory") {
  const TempDir dir;
  const std::string real = dir.path() + "/real";
  const std::string link = dir.path() + "/link";
  REQUIRE(::mkdir(real.c_str(), 0700) == 0);
  REQUIRE(::symlink(real.c_str(), link.c_str()) == 0);
  CHECK_FALSE(write_end_record(link, some_record()).ok());
  CHECK(list_end_records(real, 10).empty());
  CHECK(read_end_record(link, kRun).status().code() == "end_record_unusable");
}

TEST_CASE("no record is made where there is no state directory, or for a name with a slash") {
  const TempDir dir;
  CHECK_FALSE(write_end_record(dir.path() + "/none/keepers", some_record()).ok());
  CHECK(read_end_record(dir.path() + "/none/keepers", kRun).status().code() ==
        "end_record_missing");
  for (const char* id : {"", "..", "../x", "a/b", "a b", "a\n"}) {
    EndRecord record = some_record();
    record.run_id = id;
    CHECK_FALSE(can_have_end_record(id));
    CHECK_FALSE(write_end_record(dir.path(), record).ok());
    CHECK(read_end_record(dir.path(), id).status().code() == "end_record_missing");
  }
}

TEST_CASE("a list of records leaves out other files, and names no more than asked") {
  const Place place;
  place.put("");
  std::ofstream(place.directory() + "/keeper-0badcafe.sock");
  std::ofstream(place.directory() + "/ended-");
  std::ofstream(place.directory() + "/ended-a.b");
  std::ofstream(place.directory() + "/new-ended-half");
  CHECK(list_end_records(place.directory(), 10) == std::vector<std::string>{kRun, "half"});
  CHECK(list_end_records(place.directory(), 1).size() == 1);
  remove_end_record(place.directory(), "half");
  CHECK(list_end_records(place.directory(), 10) == std::vector<std::string>{kRun});
}

}  // namespace
}  // namespace gibbous::testing
