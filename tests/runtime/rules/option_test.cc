// Conditions on the values of options: how an option may be written, and what an unknown one means.
#include <string>
#include <vector>

#include "tests/runtime/rules/by_hand.h"

using by_hand::command;
using by_hand::Decision;
using by_hand::facts;
using by_hand::is_matched;
using by_hand::Knowledge;
using by_hand::of_program;
using by_hand::patterns;
using by_hand::ProgramSpec;
using by_hand::Rule;
using by_hand::SimpleCommand;

namespace {

Rule about_context(Decision decision, const char* value = "prod-*") {
  Rule made = of_program("a", decision, "kubectl");
  made.options = {{{"-c", "--context"}, patterns({value})}};
  return made;
}

void check(const Rule& rule, const std::vector<const char*>& matched,
           const std::vector<const char*>& missed) {
  for (const char* line : matched) {
    CAPTURE(line);
    CHECK(is_matched(rule, facts(line)));
  }
  for (const char* line : missed) {
    CAPTURE(line);
    CHECK_FALSE(is_matched(rule, facts(line)));
  }
}

}  // namespace

TEST_CASE("the value of an option is found however it is written") {
  check(about_context(Decision::kDeny),
        {"kubectl --context=prod-1 get", "kubectl get --context prod-1", "kubectl --cont prod-1",
         "kubectl --cont=prod-1", "kubectl -cprod-1", "kubectl -c prod-1", "kubectl -c=prod-1",
         "kubectl -vcprod-1", "kubectl -vc prod-1", "kubectl --context=dev --context=prod-1",
         "kubectl --context=prod-1 --context=dev"},
        {"kubectl get", "kubectl --context=dev", "kubectl --context dev prod-1",
         "kubectl --contexts=prod-1", "kubectl --context", "kubectl -c", "kubectl prod-1",
         "kubectl -- --context=prod-1", "kubectl exec -- x -cprod-1", "kubectl -v=cprod-1",
         "other --context=prod-1"});
}

TEST_CASE("an unknown value may be what an ask or deny rule is about") {
  for (const Decision decision : {Decision::kAsk, Decision::kDeny}) {
    check(about_context(decision),
          {"kubectl --context=$x", "kubectl --context '$x'", "kubectl --context='$x'",
           "kubectl --context=prod-'$x'", "kubectl -c'$x'", "kubectl -c $x", "kubectl -vc'$x'",
           "kubectl --context=pro*", "kubectl --context='$x'-1", "kubectl --cont'$x'",
           "kubectl --'$x'", "kubectl -v'$x'", "kubectl --context=dev --context='$x'",
           "kubectl --context'$x'"},
          {"kubectl --context=dev-'$x'", "kubectl get '$x'", "kubectl get $x", "kubectl $x",
           "kubectl --other='$x'", "kubectl --other $x", "kubectl --context=dev '$x'",
           "kubectl -- -'$x'", "kubectl --context=d*", "kubectl --context=dev-$x",
           "kubectl --context dev-$x"});
  }
}

TEST_CASE("an unknown value is never what an allow rule is about") {
  check(about_context(Decision::kAllow, "dev-*"),
        {"kubectl --context=dev-1 get", "kubectl --context dev-1", "kubectl -cdev-1",
         "kubectl -c dev-1 --cont dev-2", "kubectl --context=dev-'$x'",
         "kubectl --context=dev-1 -- '$x'"},
        {"kubectl get", "kubectl --context=prod-1", "kubectl --context='$x'",
         "kubectl --context '$x'", "kubectl --context=$x", "kubectl -c'$x'",
         // Which of several counts is the program's affair.
         "kubectl --context=dev-1 --context=prod-1", "kubectl --context=prod-1 --context=dev-1",
         "kubectl --context=dev-1 --context='$x'", "kubectl --context=dev-1 --context",
         // A word that may become another option, or more than one.
         "kubectl --context=dev-1 '$x'", "kubectl --context=dev-1 $x", "kubectl --context=dev-$x",
         "kubectl --context=dev-1 --cont'$x'",
         // An abbreviation, or a letter behind others, may be another option.
         "kubectl --cont=dev-1", "kubectl -vcdev-1"});
}

TEST_CASE("every option of a rule must have one of its values") {
  Rule both = about_context(Decision::kAsk);
  both.options.push_back({{"--namespace"}, patterns({"shop", "bank"})});
  check(both, {"kubectl --context=prod-1 --namespace bank", "kubectl --namespace=shop -c '$x' get"},
        {"kubectl --context=prod-1", "kubectl --namespace=bank",
         "kubectl --context=prod-1 --namespace=toys"});
}

TEST_CASE("the table of a program says what abbreviates an option and what a cluster is") {
  auto knowledge = std::make_shared<Knowledge>();
  auto spec = std::make_shared<ProgramSpec>();
  spec->values = {"--cont", "-n"};
  knowledge->programs["kubectl"] = spec;
  const Rule rule = about_context(Decision::kDeny);
  CHECK_FALSE(is_matched(rule, facts("kubectl --cont=prod-1"), knowledge));
  CHECK(is_matched(rule, facts("kubectl --conte=prod-1"), knowledge));
  CHECK_FALSE(is_matched(rule, facts("kubectl -ncprod-1"), knowledge));
  CHECK(is_matched(rule, facts("kubectl -vcprod-1"), knowledge));

  auto terraform = std::make_shared<ProgramSpec>();
  terraform->single_dash_long = true;
  knowledge->programs["terraform"] = terraform;
  Rule file = of_program("b", Decision::kDeny, "terraform");
  file.options = {{{"-var-file"}, patterns({"prod*"})}};
  CHECK(is_matched(file, facts("terraform plan -var-file=prod.tfvars"), knowledge));
  CHECK(is_matched(file, facts("terraform plan -var-file prod.tfvars"), knowledge));
  CHECK(is_matched(file, facts("terraform plan -var'$x'"), knowledge));
  CHECK_FALSE(is_matched(file, facts("terraform plan -var prod.tfvars"), knowledge));
  CHECK_FALSE(is_matched(file, facts("terraform plan -var=prod.tfvars"), knowledge));
}

TEST_CASE("a trace says which option matched, and that its value is not known") {
  std::vector<by_hand::Step> steps;
  const auto set = by_hand::rule_set({about_context(Decision::kDeny)});
  const auto why = [&](const char* line) {
    steps.clear();
    (void)set->judge(facts(line), {}, &steps);
    return steps.at(0).why;
  };
  CHECK(why("kubectl --context=prod-1") == "program \"kubectl\", option --context \"prod-1\"");
  CHECK(why("kubectl -c '$x'") == "program \"kubectl\", option -c \"$x\" may become prod-*");
  CHECK(why("kubectl -c dev") == "option -c is none of prod-*");
  CHECK(why("kubectl get") == "no option -c --context");
}
