// Each condition of a rule by itself, on commands made by hand.
#include <functional>
#include <string>

#include "tests/runtime/rules/by_hand.h"

using namespace by_hand;  // NOLINT: the words of this test
using namespace gibbous::command;

namespace {

constexpr PathClasses kSystem = 1U << kFirstOwnClass;

std::shared_ptr<const Knowledge> with_classes() {
  auto made = std::make_shared<Knowledge>();
  made->classes = {{"system", {}, false}, {"credentials", {}, true}};
  return made;
}

struct Case {
  const char* what;
  std::function<void(Rule&)> condition;
  Facts matched;
  Facts missed;
};

SimpleCommand changed(const std::string& line, const std::function<void(SimpleCommand&)>& change) {
  SimpleCommand made = command(line);
  change(made);
  return made;
}

SimpleCommand with_access(Access made) {
  return changed("rm x", [&](SimpleCommand& each) { each.accesses = {std::move(made)}; });
}

Facts with_doubt(Doubt doubt, const std::string& detail) {
  Facts made = facts("rm x");
  made.doubts.push_back({doubt, 0, 0, detail});
  return made;
}

std::vector<Case> all_cases() {
  const auto remove = [](PathClasses classes) {
    return facts({with_access(access(AccessKind::kRemove, classes))});
  };
  const auto with = [](const std::function<void(SimpleCommand&)>& change) {
    return facts({changed("rm x", change)});
  };
  Access deep = access(AccessKind::kRemove, kOutside);
  deep.recursive = true;
  Access redirected = access(AccessKind::kWrite, kOutside);
  redirected.redirection = true;
  return {
      {"program",
       [](Rule& r) {
         r.programs = patterns({"rm", "unlink"});
       },
       facts("rm x"), facts("mv x")},
      {"program by a glob", [](Rule& r) { r.programs = patterns({"mkfs*"}); }, facts("mkfs.ext4"),
       facts("fsck")},
      {"a subcommand without a table", [](Rule& r) { r.subcommands = patterns({"compose down"}); },
       with([](SimpleCommand& c) {
         c.argv = {value("docker"), value("compose"), value("down"), value("x")};
         c.operands = {1, 2, 3};
         c.options.clear();
       }),
       with([](SimpleCommand& c) {
         c.argv = {value("docker"), value("run"), value("compose"), value("down")};
         c.operands = {1, 2, 3};
         c.options.clear();
       })},
      {"subcommand",
       [](Rule& r) {
         r.subcommands = patterns({"push", "remote *"});
       },
       with([](SimpleCommand& c) { c.subcommand = "remote add"; }),
       with([](SimpleCommand& c) { c.subcommand = "fetch"; })},
      {"flags",
       [](Rule& r) {
         r.flags = {{"-r", "-R", "--recursive"}, {"-f", "--force"}};
       },
       facts("rm -Rf x"), facts("rm -R x")},
      {"without_flags", [](Rule& r) { r.without_flags = {"-i"}; }, facts("rm -f x"),
       facts("rm -fi x")},
      {"option",
       [](Rule& r) {
         r.options = {{{"-c", "--context"}, patterns({"prod-*"})}};
       },
       facts("kubectl --context=prod-1"), facts("kubectl --context=dev")},
      {"argument", [](Rule& r) { r.arguments = patterns({"--upload-pack=*"}); },
       facts("git --upload-pack=x"), facts("git x")},
      {"not_argument", [](Rule& r) { r.not_arguments = patterns({"x*"}); }, facts("rm -x"),
       facts("rm -f xyz")},
      {"operand", [](Rule& r) { r.operands = patterns({"x"}); }, facts("rm -f x"),
       facts("rm -x xx")},
      {"max_operands", [](Rule& r) { r.max_operands = 1; }, facts("rm -f x"), facts("rm x y")},
      {"access", [](Rule& r) { r.access = {AccessKind::kRemove}; }, remove(kInWorkspace),
       facts({with_access(access(AccessKind::kRead, kInWorkspace))})},
      {"path", [](Rule& r) { r.paths = kSystem | kHoldsWorkspace; }, remove(kOutside | kSystem),
       remove(kOutside)},
      {"not_path", [](Rule& r) { r.not_paths = kInWorkspace; }, remove(kOutside),
       remove(kInWorkspace)},
      {"recursive", [](Rule& r) { r.recursive = true; }, facts({with_access(deep)}),
       remove(kOutside)},
      {"not recursive", [](Rule& r) { r.recursive = false; }, remove(kOutside),
       facts({with_access(deep)})},
      {"redirection", [](Rule& r) { r.redirection = true; }, facts({with_access(redirected)}),
       remove(kOutside)},
      {"no redirection", [](Rule& r) { r.redirection = false; }, remove(kOutside),
       facts({with_access(redirected)})},
      {"doubt",
       [](Rule& r) {
         r.doubts = {Doubt::kUnknownCode, Doubt::kPipedCode};
       },
       with_doubt(Doubt::kPipedCode, "sh"), with_doubt(Doubt::kInlineCode, "sh")},
      {"detail",
       [](Rule& r) {
         r.doubts = {Doubt::kUnparsed};
         r.doubt_details = patterns({"LD_*"});
       },
       with_doubt(Doubt::kUnparsed, "LD_PRELOAD"), with_doubt(Doubt::kUnparsed, "PAGER")},
      {"within a kind", [](Rule& r) { r.within = patterns({"substitution"}); },
       with([](SimpleCommand& c) {
         c.nesting = {{Nesting::Kind::kSubstitution, ""}};
       }),
       with([](SimpleCommand& c) {
         c.nesting = {{Nesting::Kind::kPipeline, ""}};
       })},
      {"within a program", [](Rule& r) { r.within = patterns({"find"}); },
       with([](SimpleCommand& c) {
         c.nesting = {{Nesting::Kind::kWrapper, "find"}};
       }),
       with([](SimpleCommand& c) {
         c.nesting = {{Nesting::Kind::kWrapper, "xargs"}};
       })},
      {"fed_by",
       [](Rule& r) {
         r.fed_by = patterns({"curl", "wget"});
       },
       with([](SimpleCommand& c) {
         c.fed_by = {"tee", "curl"};
       }),
       with([](SimpleCommand& c) { c.fed_by = {"tee"}; })},
      {"feeds", [](Rule& r) { r.feeds = patterns({"sh"}); },
       with([](SimpleCommand& c) { c.feeds = {"sh"}; }),
       with([](SimpleCommand& c) { c.feeds = {"tee"}; })},
      {"host", [](Rule& r) { r.hosts = patterns({"*.example.org"}); },
       with([](SimpleCommand& c) { c.hosts = {"a.example.org"}; }),
       with([](SimpleCommand& c) { c.hosts = {"example.com"}; })},
      {"the unknown host", [](Rule& r) { r.hosts = patterns({""}); },
       with([](SimpleCommand& c) { c.hosts = {""}; }),
       with([](SimpleCommand& c) { c.hosts = {"example.com"}; })},
      {"not_host", [](Rule& r) { r.not_hosts = patterns({"*.example.org"}); },
       with([](SimpleCommand& c) {
         c.hosts = {"a.example.org", "other.net"};
       }),
       with([](SimpleCommand& c) { c.hosts = {"a.example.org"}; })},
      {"privileged", [](Rule& r) { r.privileged = true; },
       with([](SimpleCommand& c) { c.privileged = true; }), facts("rm x")},
      {"not privileged", [](Rule& r) { r.privileged = false; }, facts("rm x"),
       with([](SimpleCommand& c) { c.privileged = true; })},
      {"computed", [](Rule& r) { r.computed = true; },
       with([](SimpleCommand& c) { c.argv.back().holes.push_back({}); }), facts("rm x")},
      {"computed input", [](Rule& r) { r.computed_input = true; },
       with([](SimpleCommand& c) { c.unknown_input = "$X"; }), facts("rm x")},
      {"remote", [](Rule& r) { r.remote = true; }, with([](SimpleCommand& c) { c.remote = true; }),
       facts("rm x")},
      {"not remote", [](Rule& r) { r.remote = false; }, facts("rm x"),
       with([](SimpleCommand& c) { c.remote = true; })},
  };
}

}  // namespace

TEST_CASE("each condition holds for what it names and not for its neighbour") {
  for (const Case& each : all_cases()) {
    CAPTURE(each.what);
    Rule made = rule("r", Decision::kAsk);
    each.condition(made);
    CHECK(is_matched(made, each.matched, with_classes()));
    CHECK_FALSE(is_matched(made, each.missed, with_classes()));
    CHECK_FALSE(is_matched(made, facts(std::vector<SimpleCommand>()), with_classes()));
  }
}

TEST_CASE("the trace says for each condition whether it held") {
  for (const Case& each : all_cases()) {
    CAPTURE(each.what);
    Rule made = rule("r", Decision::kAsk);
    each.condition(made);
    const auto set = rule_set({made}, with_classes());
    std::vector<Step> steps;
    (void)set->judge(each.missed, {}, &steps);
    const bool passed_over = std::string(each.what).rfind("program", 0) == 0;  // by the index
    REQUIRE(steps.size() == (passed_over ? 0 : 1));
    if (passed_over) continue;
    CHECK_FALSE(steps[0].matched);
    CHECK_FALSE(steps[0].why.empty());
  }
}

TEST_CASE("conditions hold for one and the same command") {
  Rule made = of_program("r", Decision::kAsk, "rm");
  made.flags = {{"-f"}};
  CHECK_FALSE(is_matched(made, facts({command("rm x"), command("cp -f x")})));
  CHECK(is_matched(made, facts({command("cp x"), command("rm -f x")})));
}

TEST_CASE("one access must satisfy all conditions on accesses") {
  Rule made = rule("r", Decision::kDeny);
  made.access = {AccessKind::kRemove, AccessKind::kWrite};
  made.paths = kSystem;
  made.recursive = true;
  Access remove = access(AccessKind::kRemove, kInWorkspace);
  remove.recursive = true;
  const Access read = access(AccessKind::kRead, kSystem);
  Access write = access(AccessKind::kWrite, kSystem);
  SimpleCommand both = command("rm x");
  both.accesses = {remove, read, write};
  CHECK_FALSE(is_matched(made, facts({both}), with_classes()));
  write.recursive = true;
  both.accesses.push_back(write);
  CHECK(is_matched(made, facts({both}), with_classes()));
}

TEST_CASE("an allow rule does not treat unknown as absent") {
  Rule allow = of_program("a", Decision::kAllow, "npm");
  allow.not_arguments = patterns({"--force*"});
  CHECK(is_matched(allow, facts("npm run x'$y'")));
  CHECK_FALSE(is_matched(allow, facts("npm run $y")));
  CHECK_FALSE(is_matched(allow, facts("npm run --'$y'")));
  allow.not_arguments.clear();
  allow.max_operands = 2;
  CHECK(is_matched(allow, facts("npm run '$y'")));
  CHECK_FALSE(is_matched(allow, facts("npm run $y")));
  CHECK_FALSE(is_matched(allow, facts("npm run *.js")));
  allow.decision = Decision::kAsk;
  CHECK(is_matched(allow, facts("npm run $y")));
}

TEST_CASE("a trace names paths, classes and words") {
  Rule made = of_program("r", Decision::kDeny, "rm");
  made.access = {AccessKind::kRemove};
  made.paths = kSystem;
  made.flags = {{"-r", "--recursive"}};
  const auto set = rule_set({made}, with_classes());
  SimpleCommand removing = command("rm -rf /etc");
  removing.accesses = {access(AccessKind::kRemove, kSystem | kOutside, "/etc")};
  removing.accesses[0].recursive = true;
  std::vector<Step> steps;
  (void)set->judge(facts({removing}), {}, &steps);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].matched);
  CHECK(steps[0].why == "program \"rm\", removes \"/etc\" (system), recursively, flag -r");

  removing.accesses[0].classes = kInWorkspace;
  removing.accesses[0].path = "/workspace/\x1b[2J";
  steps.clear();
  (void)set->judge(facts({removing}), {}, &steps);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].why ==
        "no such access; it removes \"/workspace/\\x1b[2J\" (workspace), recursively");
}

TEST_CASE("a command without words and meaningless indexes are harmless") {
  SimpleCommand empty;
  empty.operands = {0, 5, -1};
  empty.options = {3, -7};
  for (const Case& each : all_cases()) {
    CAPTURE(each.what);
    Rule made = rule("r", Decision::kAsk);
    each.condition(made);
    (void)is_matched(made, facts({empty}), with_classes());
  }
}
