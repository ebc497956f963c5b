#include "tests/runtime/command/differential/by_hand.h"

#include <re2/re2.h>

#include <sstream>
#include <utility>
#include <vector>

namespace gibbous::command::testing {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}

Selector operands(Selector::Kind kind) {
  Selector selector;
  selector.kind = kind;
  return selector;
}

Selector options(const std::string& names) {
  Selector selector;
  selector.kind = Selector::Kind::kOptions;
  selector.options = words(names);
  return selector;
}

RunsSpec runs(RunsSpec::How how) {
  RunsSpec made;
  made.how = how;
  if (how == RunsSpec::How::kFile || how == RunsSpec::How::kStdin) made.language = "shell";
  return made;
}

AccessSpec access(AccessKind kind, Selector::Kind of) {
  AccessSpec spec;
  spec.kind = kind;
  spec.selectors.push_back(operands(of));
  return spec;
}

ProgramSpec wrapper(const std::string& values, int skip = 0) {
  ProgramSpec spec;
  spec.options_first = true;
  spec.values = words(values);
  RunsSpec argv = runs(RunsSpec::How::kArgv);
  argv.skip = skip;
  spec.runs.push_back(argv);
  return spec;
}

ProgramSpec shell() {
  ProgramSpec spec;
  spec.options_first = true;
  spec.values = words("-O +O -o +o --rcfile --init-file");
  RunsSpec option = runs(RunsSpec::How::kOption);
  option.from.push_back(options("-c"));
  RunsSpec file = runs(RunsSpec::How::kFile);
  file.unless = words("-c -s");
  RunsSpec input = runs(RunsSpec::How::kStdin);
  input.unless = words("-c");
  spec.runs = {option, file, input};
  return spec;
}

void add(Knowledge* knowledge, const std::string& names, ProgramSpec spec) {
  const auto shared = std::make_shared<const ProgramSpec>(std::move(spec));
  for (const std::string& name : words(names)) knowledge->programs[name] = shared;
}

void add_builtins(Knowledge* knowledge) {
  add(knowledge,
      "pwd exit return break continue shift times umask ulimit shopt set true false : type jobs fg "
      "bg wait popd hash unalias alias mark",
      {});
  ProgramSpec enters;
  enters.accesses.push_back(access(AccessKind::kEnter, Selector::Kind::kOperands));
  add(knowledge, "cd pushd", enters);
  ProgramSpec prints;
  prints.prints = true;
  add(knowledge, "echo", prints);
  prints.values = words("-v");
  add(knowledge, "printf", prints);
  add(knowledge, "export declare typeset local readonly unset let test [ getopts", {});
  ProgramSpec reads;
  reads.values = words("-a -d -i -n -N -p -t -u");
  add(knowledge, "read", reads);
  ProgramSpec map;
  map.values = words("-d -n -O -s -u -C -c");
  RunsSpec callback = runs(RunsSpec::How::kShell);
  callback.from.push_back(options("-C"));
  map.runs.push_back(callback);
  add(knowledge, "mapfile readarray", map);
  ProgramSpec joined;
  joined.runs.push_back(runs(RunsSpec::How::kJoined));
  add(knowledge, "eval", joined);
  ProgramSpec file;
  file.runs.push_back(runs(RunsSpec::How::kFile));
  add(knowledge, "source .", file);
  ProgramSpec trap;
  trap.options_first = true;
  RunsSpec first = runs(RunsSpec::How::kShell);
  first.from.push_back(operands(Selector::Kind::kFirst));
  first.unless = words("-l -p");
  trap.runs.push_back(first);
  add(knowledge, "trap", trap);
  add(knowledge, "exec", wrapper("-a"));
  ProgramSpec command = wrapper("");
  command.runs[0].unless = words("-v -V");
  add(knowledge, "command builtin", command);
}

void add_programs(Knowledge* knowledge) {
  add(knowledge, "sh dash ash mksh bash", shell());
  add(knowledge, "nohup setsid", wrapper(""));
  add(knowledge, "time", wrapper("-o -f"));
  add(knowledge, "timeout", wrapper("-k --kill-after -s --signal", 1));
  add(knowledge, "nice", wrapper("-n --adjustment"));
  ProgramSpec sudo = wrapper("-u --user -g --group");
  sudo.privileged = true;
  sudo.runs[0].assignments = true;
  add(knowledge, "sudo", sudo);
  ProgramSpec env = wrapper("-u --unset -C --chdir -S --split-string -a --argv0");
  env.cwd.push_back(options("-C --chdir"));
  env.runs[0].assignments = true;
  RunsSpec split = runs(RunsSpec::How::kShell);
  split.from.push_back(options("-S --split-string"));
  env.runs.push_back(split);
  add(knowledge, "env", env);
  ProgramSpec xargs = wrapper(
      "-a --arg-file -d --delimiter -E -I -J -L --max-lines -n --max-args -P --max-procs -R -s "
      "--max-chars --process-slot-var");
  xargs.runs[0].appends = true;
  add(knowledge, "xargs", xargs);
  ProgramSpec find;
  find.single_dash_long = true;
  find.lists = true;
  find.values = words("-name -type -maxdepth -mindepth -newer -fprint");
  find.accesses.push_back(access(AccessKind::kEnter, Selector::Kind::kOperands));
  AccessSpec removed = access(AccessKind::kRemove, Selector::Kind::kOperands);
  removed.when = words("-delete");
  removed.recursive = true;
  find.accesses.push_back(removed);
  RunsSpec until = runs(RunsSpec::How::kUntil);
  until.from.push_back(options("-exec -execdir -ok -okdir"));
  until.appends = true;
  until.ends_at_plus = true;
  find.runs.push_back(until);
  add(knowledge, "find", find);
  ProgramSpec reads;
  reads.accesses.push_back(access(AccessKind::kRead, Selector::Kind::kOperands));
  add(knowledge, "cat head", reads);
  ProgramSpec writes;
  writes.accesses.push_back(access(AccessKind::kWrite, Selector::Kind::kOperands));
  add(knowledge, "tee touch mkdir", writes);
  ProgramSpec rm;
  rm.accesses.push_back(access(AccessKind::kRemove, Selector::Kind::kOperands));
  rm.recursive = words("-r -R --recursive");
  add(knowledge, "rm", rm);
  ProgramSpec copies;
  copies.accesses.push_back(access(AccessKind::kRead, Selector::Kind::kButLast));
  copies.accesses.push_back(access(AccessKind::kWrite, Selector::Kind::kLast));
  add(knowledge, "cp", copies);
  ProgramSpec decodes;
  decodes.decodes = true;
  decodes.decodes_when = words("-d --decode");
  add(knowledge, "base64", decodes);
  ProgramSpec curl;
  curl.values = words("-o -H");
  curl.hosts.push_back(operands(Selector::Kind::kOperands));
  add(knowledge, "curl", curl);
  ProgramSpec ssh = wrapper("-p -o");
  ssh.remote = true;
  ssh.hosts.push_back(operands(Selector::Kind::kFirst));
  ssh.runs[0] = runs(RunsSpec::How::kJoined);
  ssh.runs[0].skip = 1;
  add(knowledge, "ssh", ssh);
  ProgramSpec python;
  python.options_first = true;
  python.values = words("-c -m");
  RunsSpec code = runs(RunsSpec::How::kCode);
  code.language = "python";
  code.from.push_back(options("-c"));
  RunsSpec script = runs(RunsSpec::How::kFile);
  script.language = "python";
  script.unless = words("-c -m");
  RunsSpec input = runs(RunsSpec::How::kStdin);
  input.language = "python";
  input.unless = words("-c -m");
  python.runs = {code, script, input};
  add(knowledge, "python3", python);
  ProgramSpec git;
  git.values = words("-C -c");
  git.cwd.push_back(options("-C"));
  git.subcommands["push"] = std::make_shared<const ProgramSpec>();
  git.subcommands["remote add"] = std::make_shared<const ProgramSpec>();
  add(knowledge, "git", git);
  ProgramSpec pnpm;
  pnpm.subcommands["dlx"] = std::make_shared<const ProgramSpec>(wrapper(""));
  add(knowledge, "pnpm", pnpm);
  ProgramSpec session;
  session.runs.push_back(runs(RunsSpec::How::kJoined));
  ProgramSpec tmux;
  tmux.subcommands["new"] = std::make_shared<const ProgramSpec>(session);
  add(knowledge, "tmux", tmux);
  ProgramSpec cc;
  cc.values = words("-o");
  cc.accesses.push_back({AccessKind::kWrite, {options("-o")}, {}, {}, false});
  add(knowledge, "cc", cc);
  ProgramSpec wget;
  wget.accesses.push_back(access(AccessKind::kWrite, Selector::Kind::kUrlNames));
  add(knowledge, "wget", wget);
}

}  // namespace

std::shared_ptr<const Knowledge> by_hand() {
  auto knowledge = std::make_shared<Knowledge>();
  add_builtins(knowledge.get());
  add_programs(knowledge.get());
  knowledge->classes.push_back({"protected", {"**/.git/hooks", "/etc"}, true});
  knowledge->classes.push_back({"temporary", {"/tmp"}, false});
  knowledge->outputs = {{"pwd", "$PWD"}, {"mktemp **", "/tmp/tmp.*"}, {"which *", "/usr/bin/$1"}};
  knowledge->unheld = std::make_shared<const re2::RE2>("rmtree|remove|rm");
  knowledge->reaching =
      std::make_shared<const re2::RE2>("[^a-z]system|socket|open|exec|import|[`|]");
  knowledge->removing = std::make_shared<const re2::RE2>("rmtree");
  return knowledge;
}

}  // namespace gibbous::command::testing
