// has_flag, and what rules make of hidden flags.
#include <string>

#include "tests/runtime/rules/by_hand.h"

using by_hand::command;
using by_hand::Decision;
using by_hand::facts;
using by_hand::is_matched;
using by_hand::Knowledge;
using by_hand::of_program;
using by_hand::ProgramSpec;
using by_hand::Rule;
using by_hand::SimpleCommand;
using gibbous::rules::has_flag;

namespace {

bool has(const std::string& line, const char* flag, const ProgramSpec* spec = nullptr) {
  return has_flag(command(line), spec, flag);
}

}  // namespace

TEST_CASE("a short flag is found alone or in a cluster") {
  CHECK(has("rm -r x", "-r"));
  CHECK(has("rm -fr x", "-r"));
  CHECK(has("rm -f -r x", "-r"));
  CHECK_FALSE(has("rm -f x", "-r"));
  CHECK_FALSE(has("rm --r", "-r"));
  CHECK_FALSE(has("rm r", "-r"));
  CHECK_FALSE(has("rm - x", "-r"));
  CHECK_FALSE(has("rm -f=r", "-r"));
}

TEST_CASE("a letter that takes a value ends its cluster") {
  ProgramSpec spec;
  spec.values = {"-C", "--directory"};
  CHECK_FALSE(has("make -Cdir", "-r", &spec));
  CHECK(has("make -rCdir", "-r", &spec));
  CHECK(has("make -Cdir", "-C", &spec));
  CHECK(has("make -Cdir", "-r"));  // the program is unknown
}

TEST_CASE("a long flag may be shortened and have a value") {
  CHECK(has("rm --recursive", "--recursive"));
  CHECK(has("rm --rec", "--recursive"));
  CHECK(has("rm --r", "--recursive"));
  CHECK(has("rm --recursive=x", "--recursive"));
  CHECK(has("rm --rec=x", "--recursive"));
  CHECK_FALSE(has("rm --recursively", "--recursive"));
  CHECK_FALSE(has("rm -recursive", "--recursive"));
  CHECK_FALSE(has("rm --=x", "--recursive"));
}

TEST_CASE("an option that the table names is not an abbreviation of another") {
  ProgramSpec spec;
  CHECK(has("push --force", "--force-with-lease", &spec));
  spec.recursive = {"--force"};
  CHECK_FALSE(has("push --force", "--force-with-lease", &spec));
  CHECK(has("push --force-w", "--force-with-lease", &spec));
}

TEST_CASE("options end at two dashes") {
  SimpleCommand made = command("rm -f -- -r");
  CHECK_FALSE(has_flag(made, nullptr, "-r"));
  made.options = {1, 2, 3};  // even if it is listed
  CHECK_FALSE(has_flag(made, nullptr, "-r"));
}

TEST_CASE("a long option with one dash matches exactly, and is not a cluster") {
  ProgramSpec spec;
  spec.single_dash_long = true;
  CHECK(has("find . -delete", "-delete", &spec));
  CHECK(has("java -Dx=y", "-Dx", &spec));
  CHECK_FALSE(has("find . -del", "-delete", &spec));
  CHECK_FALSE(has("find . -delete", "-d", &spec));
  CHECK(has("find . -d", "-d", &spec));
}

TEST_CASE("after a subcommand its own table says which options take values") {
  auto commit = std::make_shared<ProgramSpec>();
  commit->values = {"-m"};
  ProgramSpec git;
  git.values = {"-C"};
  git.subcommands["commit"] = commit;
  SimpleCommand made = command("git -Cmad commit -Ca -mna");
  made.subcommand = "commit";
  CHECK_FALSE(has_flag(made, &git, "-d"));
  CHECK(has_flag(made, &git, "-a"));  // -C takes no value there
  CHECK_FALSE(has_flag(made, &git, "-n"));
}

TEST_CASE("an unknown word is not a flag") {
  CHECK_FALSE(has("rm $x", "-r"));
  CHECK_FALSE(has("rm -'$r'", "-r"));
  CHECK(has("rm -r'$x'", "-r"));
  CHECK_FALSE(has("rm --rec'$x'", "--recursive"));
  CHECK(has("rm --recursive='$x'", "--recursive"));
}

TEST_CASE("an allow rule that excludes flags does not apply where one may be hidden") {
  Rule allow = of_program("a", Decision::kAllow, "git");
  allow.without_flags = {"--force"};
  CHECK(is_matched(allow, facts("git push origin")));
  CHECK(is_matched(allow, facts("git push src'$x'")));
  CHECK(is_matched(allow, facts("git push -- '$x'")));
  CHECK(is_matched(allow, facts("git push --repo='$x'")));
  CHECK(is_matched(allow, facts("git push ./*")));
  for (const char* line :
       {"git push --force", "git push '$x'", "git push $x", "git push src$x", "git push -'$x'",
        "git push --'$x'", "git push *", "git push --repo=$x"}) {
    CAPTURE(line);
    CHECK_FALSE(is_matched(allow, facts(line)));
  }
  // The quoted value of an option is never one.
  SimpleCommand value = command("git commit -m '$x'");
  value.operands = {1};
  CHECK(is_matched(allow, facts({value})));

  Rule ask = allow;
  ask.decision = Decision::kAsk;
  CHECK(is_matched(ask, facts("git push $x")));
  CHECK_FALSE(is_matched(ask, facts("git push --force")));
}

TEST_CASE("a value hidden behind a letter that takes it hides no flag") {
  auto spec = std::make_shared<ProgramSpec>();
  spec->values = {"-C"};
  auto knowledge = std::make_shared<Knowledge>();
  knowledge->programs["make"] = spec;
  Rule allow = of_program("a", Decision::kAllow, "make");
  allow.without_flags = {"--eval"};
  CHECK(is_matched(allow, facts("make -C'$x'"), knowledge));
  CHECK_FALSE(is_matched(allow, facts("make -k'$x'"), knowledge));
}

TEST_CASE("an overlong cluster contains every flag") {
  constexpr std::size_t kLong = 100'000;
  CHECK(has("rm -" + std::string(kLong, 'v'), "-r"));
}
