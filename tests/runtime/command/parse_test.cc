// Commands as the parser reads them: lists, pipelines, compound commands, redirections and
// here-documents, each with the tree that is expected.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/runtime/command/render.h"
#include "tests/runtime/command/tree_check.h"
#include "tests/support/catch.h"

using gibbous::command::parse;
using gibbous::command::testing::tree;
using gibbous::command::testing::tree_fault;

namespace {

// Pairs of a text and its tree as render.h writes it.
void check(const std::vector<std::pair<std::string_view, std::string_view>>& cases) {
  for (const auto& [text, expected] : cases) {
    INFO(text);
    CHECK(tree(text) == expected);
    CHECK(tree_fault(parse(text)).empty());
  }
}

}  // namespace

TEST_CASE("redirections may be anywhere and keep their descriptor") {
  check({
      {"a <b >c >>d >|e <>f <&3 >&4 &>g &>>h <<<i 2>&1 3<&- 4>&5- {v}>j <k 99999999999>l",
       "([a] <[b] >[c] >[d] >[e] <>[f] <&[3] >&[4] &>[g] &>[h] <<<[i] 2>&[1] 3<&[-] 4>&[5-] "
       "{v}>[j] <[k] >[l])"},
      {"<a b >c d", "([b][d] <[a] >[c])"},
      {"2 >a 2a>b a2>c a 2>d", "([2][2a][a2][a] >[a] >[b] >[c] 2>[d])"},
      {"a &>b & c", "([a] &>[b] & [c])"},
      {"a >&- <&$x >& b 2>&1>c >\"d e\" > $(f) < <(g) > >(h)",
       "([a] >&[-] <&[$x] >&[b] 2>&[1] >[c] >['d e'] >[$([f])] <[<([g])] >[>([h])])"},
      {"a 1\\\n2>b {x}>c {1x}>d {x >e", "([a][<{> 1x <}>][{x] 12>[b] {x}>[c] >[d] >[e])"},
      {"(a) >b <c ; { d; } 2>e ; [[ f ]] >g ; ((h)) >i",
       "(sub([a]) >[b] <[c] ; group([d]) 2>[e] ; test[f] >[g] ; (((('h')) >[i])"},
  });
}

TEST_CASE("here-documents are read behind the line, in order, and expanded unless quoted") {
  check({
      {"a <<E\nb $c `d` \\$e \"f\"\nE\ng", "([a] <<['b ' '$c' ' ' '$([d])' ' $e \"f\"\n'] ; [g])"},
      {"a <<'E'\n$c\nE\nb", "([a] <<!['$c\n'] ; [b])"},
      {"a <<-E\n\tb\n\t\t$(c)\n\tE\nd", "([a] <<['b\n' '$([c])' '\n'] ; [d])"},
      {"a <<E\\F <<\"G H\" <<-I\n1\nEF\n2\nG H\n3\nI\nb",
       "([a] <<!['1\n'] <<!['2\n'] <<['3\n'] ; [b])"},
      {"a <<E\nb\\\nc\nE", "([a] <<['bc\n'])"},
      {"a <<E\nb", "([a] <<['b'])"},
      {"a <<E\n\\\nE\nb", "([a] <<[] ; [b])"},
      {"a <<E; (\nb\nE\nc)", "([a] <<['b\n'] ; sub([c]))"},
      {"a <<E\nit's \"$(b)\n\" `c \\`d\\`` ${e:-'$(f)'}\nE\ng",
       "([a] <<['it's \"' '$([b])' '\n\" ' '$([c][$([d])])' ' ' '$e<:->(''' '$([f])' ''')' '\n'] ; "
       "[g])"},
      {"a <<\"E\"'F'$'\\x47'\nb\nEFG\nc", "([a] <<!['b\n'] ; [c])"},
      {"a <<$x\nb\n$x\nc",
       "error: an expansion in the delimiter of a here-document ([a] <<[$x] ; [b] ; [$x] ; [c])"},
      {"a 3<<E | b <<F && c\nd\nE\ne\nF\nf", "(pipe{[a] 3<<['d\n']}|{[b] <<['e\n']} && [c] ; [f])"},
      {"a <<E\n\tE\n E\nE \nE", "([a] <<['\tE\n E\nE \n'])"},
      {"{ a <<E; } 2>b\nc\nE\nd", "(group([a] <<['c\n']) 2>[b] ; [d])"},
  });
}

TEST_CASE("a here-document whose body follows its substitution is read as commands, too") {
  check({
      {"$(a <<E) b; c\nd\nE\ne",
       "error: a here-document without its body in parentheses ([$([a] <<[])][b] ; [c] ; [d] ; [E] "
       "; [e])"},
      {"$(a <<E\nb\nE c)", "([$([a] <<['b\n'] ; [c])])"},
      {"((a <<E\nb\nE\n); c) d\nf\nE\ng",
       "error: a here-document in (( )) that is no arithmetic (sub(sub([a] <<['b\n' '$([b])']) ; "
       "[c]) ; [f] ; [E] ; [g])"},
      {"a $(b <<E\nc\nE\n) d", "([a][$([b] <<['c\n'])][d])"},
      {"\"$(a <<'E'\n)\" '\nE\n)\" b", "(['$([a] <<![')\" '\n'])'][b])"},
  });
}

TEST_CASE("lists and pipelines keep their operators") {
  check({
      {"a; b & c && d || e", "([a] ; [b] & [c] && [d] || [e])"},
      {"a &&\n\nb ||\n# x\nc", "([a] && [b] || [c])"},
      {"a | b |& c\n| d",
       "error: unexpected '|' where a command is expected (pipe{[a]}|{[b]}|{[c]} ;  ; [d])"},
      {"! a | b", "(pipe{[a]}|{[b]})"},
      {"time -p ! a", "(pipe{[a]})"},
      {"time", "(pipe{})"},
      {"a |\nb ||\n\nc &", "(pipe{[a]}|{[b]} || [c] &)"},
      {"! ! a ; ! ; time -- a | b", "(pipe{[a]} ; pipe{} ; pipe{[a]}|{[b]})"},
      {"a | time b | c", "(pipe{[a]}|{[time][b]}|{[c]})"},
  });
}

TEST_CASE("groups and subshells hold a list") {
  check({
      {"( a; b ) >c", "(sub([a] ; [b]) >[c])"},
      {"{ a; } 2>&1 | { b; }", "(pipe{group([a]) 2>&[1]}|{group([b])})"},
      {"{a; }", "error: unexpected '}' ([{a])"},
      {"{ (a) } ; ( { b; } )", "(group(sub([a])) ; sub(group([b])))"},
      {"(((a))) ; ( (a) ) ; ((a) ) ; ((a);b)",
       "((((('(a)')) ; sub(sub([a])) ; sub(sub([a])) ; sub(sub([a]) ; [b]))"},
      {"{ a\nb\n} ; (\na\n)", "(group([a] ; [b]) ; sub([a]))"},
      {"{(a)}", "(group(sub([a])))"},
  });
}

TEST_CASE("if, while and until hold their conditions and bodies") {
  check({
      {"if a; then b; elif c; then d; else e; fi >f", "(if([a])([b])([c])([d])([e]) >[f])"},
      {"while a; do b; done", "(while([a])([b]))"},
      {"until a; do b; done <c", "(while([a])([b]) <[c])"},
      {"if(a)then(b)fi", "(if(sub([a]))(sub([b])))"},
      {"if ! a | b\nthen c\nelif d\ne\nthen f\nfi", "(if(pipe{[a]}|{[b]})([c])([d] ; [e])([f]))"},
      {"while a\ndo\nb\ndone | c &", "(pipe{while([a])([b])}|{[c]} &)"},
  });
}

TEST_CASE("for and select have words or none, and any body") {
  check({
      {"for i in a \"b c\" $d; do e; done", "(for:i[a]['b c'][$d]([e]))"},
      {"for i; do a; done", "(for:i([a]))"},
      {"for i do a; done", "(for:i([a]))"},
      {"for ((i=0;i<$(a);i++)); do b; done", "(for(((('i=0;i<' '$([a])' ';i++'))([b]))"},
      {"select i in a; { b; }", "(for:i[a]([b]))"},
      {"for i\nin a\n{ b; }", "(for:i[a]([b]))"},
      {"for i in; do a; done ; for i in do done; do b; done",
       "(for:i([a]) ; for:i[do][done]([b]))"},
      {"for ((;;)) { a; }", "(for((((';;'))([a]))"},
  });
}

TEST_CASE("case has patterns, each with a body") {
  check({
      {"case $x in (a|b*) c;; \"d\") e;& f) ;;& *) g; esac",
       "(case[$x] [a][b glob:*]([c]) ['d']([e]) [f]() [glob:*]([g]))"},
      {"case x in esac ; case x\nin\na)\nb\n;;\nesac", "(case[x] ; case[x] [a]([b]))"},
      {"case in in in) a;; if|do) b;; (esac) c;; esac",
       "(case[in] [in]([a]) [if][do]([b]) [esac]([c]))"},
      {"case $(a) in \"$(b)\"*|`c`) d; esac", "(case[$([a])] ['$([b])' glob:*][$([c])]([d]))"},
      {"case x in @(a|b)) c;; [!)]) d;; esac",
       "error: unexpected ')' where ';;' or 'esac' is expected (case[x] [glob:@(a|b)]([c]) "
       "[[!]([]]) ; [d] ; )"},
  });
}

TEST_CASE("functions are known in all their forms") {
  check({
      {"f() { a; } >b", "(function:f{group([a]) >[b]})"},
      {"f () ( a )", "(function:f{sub([a])})"},
      {"function f { a; }", "(function:f{group([a])})"},
      {"function f() if a; then b; fi", "(function:f{if([a])([b])})"},
      {"function f (a)", "(function:f{sub([a])})"},
      {"f+() { a; }", "(function:f+{group([a])})"},
      {"a=(b) f() { c; }", "error: unexpected '(' (a=([b])[][f])"},
      {"f()\n{ a; } ; function g\n{ b; } <c",
       "(function:f{group([a])} ; function:g{group([b]) <[c]})"},
      {"a-b.c() [[ d ]] ; :() { : | : & }",
       "(function:a-b.c{test[d]} ; function::{group(pipe{[:]}|{[:]} &)})"},
      {"f() ((1)) ; g() for i do a; done", "(function:f{(((('1'))} ; function:g{for:i([a])})"},
  });
}

TEST_CASE("a coprocess is not understood, and its command is found") {
  check({
      {"coproc a b", "error: a coprocess ([a][b])"},
      {"coproc { a; }", "error: a coprocess (group([a]))"},
  });
}

TEST_CASE("double brackets keep their words and operators in order") {
  check({
      {"[[ -f a && ( b == c* || ! d ) ]]", "(test[-f][a][&&][(][b][==][c glob:*][||][!][d][)])"},
      {"[[ a =~ ^(b c|d)$ ]] && e", "(test[a][=~][^(b c|d)$] && [e])"},
      {"[[ a < b \n|| c > d ]]", "(test[a][<][b][||][c][>][d])"},
      {"[[ a == @(b|c) && -n $(d) ]]", "(test[a][==][glob:@(b|c)][&&][-n][$([d])])"},
      {"[[ a =~ a|(b \"c\")$x* || -z \"$(d \"]]\")\" ]] && e",
       "(test[a][=~][a|(b  'c' ) $x *][||][-z]['$([d][']]'])'] && [e])"},
      {"[[ -e <(a) && x != [[:digit:]]* ]]",
       "(test[-e][<([a])][&&][x][!=][glob:[[:digit:]] glob:*])"},
      {"[[ a ]] # b\nc ; [ d ] ; [[a ]]", "(test[a] ; [c] ; [[][d][]] ; [[[a][]]])"},
  });
}

TEST_CASE("(( )) is arithmetic when both parentheses close together") {
  check({
      {"((x+=1)) ; ((a) ; b)", "((((('x+=1')) ; sub(sub([a]) ; [b]))"},
      {"(( $(a) ? `b` : ${c} ))", "(((((' ' '$([a])' ' ? ' '$([b])' ' : ' '$c' ' ')))"},
  });
}

TEST_CASE("reserved words are ordinary words where bash does not look for them") {
  check({
      {"'if' a; \\then b; \"fi\"", "(['if'][a] ; ['t' hen][b] ; ['fi'])"},
      {"i\\\nf a; t\\\nhen b; f\\\ni", "(if([a])([b]))"},
      {"!(a)", "(pipe{sub([a])})"},
      {"a if then { } ! time ; x=1 if ; >a while",
       "([a][if][then][{][}][!][time] ; x=[1][if] ; [while] >[a])"},
      {"\"{\" a; \\} ; {a} ; fi\"\" ; $x if",
       "(['{'][a] ; ['}'] ; [<{> a <}>] ; [fi ''] ; [$x][if])"},
  });
}

TEST_CASE("comments begin where a word could") {
  check({
      {"a # b\n#c\nd;#e\nf#g", "([a] ; [d] ; [f#g])"},
      {"a# b ; (# c\nd)#e\n$(f # )\n)", "([a#][b] ; sub([d]) ; [$([f])])"},
      {"a \\#b '#c' ${x#d} $# $((2#1))", "([a]['#' b]['#c'][$x<p#>(d)][$#][$(('2#1'))])"},
  });
}
