// Words as the parser reads them: quotes, expansions, patterns, assignments.
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

TEST_CASE("quotes and backslashes are removed, and the hidden characters are marked") {
  check({
      {"a 'b c' \"d e\" f\\ g", "([a]['b c']['d e'][f ' ' g])"},
      {"'' \"\" a\"\"", "([''][''][a ''])"},
      {"a\\", "([a\\])"},
      {"a \"b\\\"\\\\\\$\\`\\x\" '\\'", "([a]['b\"\\$`\\x']['\\'])"},
      {"a \"b\nc\" 'd\ne'", "([a]['b\nc']['d\ne'])"},
      {"a $\"b$c\"", "([a]['b' '$c'])"},
      {"a \"$'b'\" '$\"b\"'", "([a]['$'b'']['$\"b\"'])"},
      {"a\\\nb \\\nc", "([ab][c])"},
      {"a 'b\\\nc' \"d\\\ne\" $x\\\ny $\\\n(z)", "([a]['b\\\nc']['de'][$xy][$([z])])"},
  });
}

TEST_CASE("$'...' is decoded, and codes of characters in it are not understood") {
  check({
      {"a $'x\\n\\t\\a\\e\\\\\\'\\\"\\?' $'\\x41\\x4' $'\\101\\60' $'\\q'",
       "([a]['x\n\t\007\033\\'\"?']['A\004']['A0']['\\q'])"},
      {"$'a\\'b'", "(['a'b'])"},
  });
  for (const char* code : {"\\xg", "\\x{41}", "\\u00e9", "\\U1F600", "\\cA", "\\0", "\\400"}) {
    INFO(code);
    CHECK(tree("$'" + std::string(code) + "'").rfind("error: an escape in $'...'", 0) == 0);
  }
}

TEST_CASE("parameters are read with their operators") {
  check({
      {"a $x $1 $10 $@ $$ ${10} $ \"$\" $% a$", "([a][$x][$1][$1 0][$@][$$][$10][$]['$'][$%][a$])"},
      {"${x} ${#x} ${#} ${##} ${!x} ${!x*} ${!x@} ${!x[@]} ${x[1]} ${x[@]} ${#x[*]}",
       "([$x][$x<#>][$#][$#<#>][$x<!>][$x<!*>][$x<!*>][$x[]<!>('@')][$x[]('1')][$x[]('@')][$x[]<#>("
       "'*')])"},
      {"${x-a} ${x:-a} ${x=a} ${x:=a} ${x?a} ${x:?a} ${x+a} ${x:+a}",
       "([$x<->(a)][$x<:->(a)][$x<=>(a)][$x<:=>(a)][$x<?>(a)][$x<:?>(a)][$x<+>(a)][$x<:+>(a)])"},
      {"${x%a} ${x%%a} ${x#a} ${x##a} ${x/a/b} ${x//a/b} ${x/#a/b} ${x/%a/b}",
       "([$x<%>(a)][$x<%%>(a)][$x<p#>(a)][$x<##>(a)][$x</>(a/b)][$x<//>(a/b)][$x</#>(a/b)][$x</"
       "%>(a/b)])"},
      {"${x^a} ${x^^a} ${x,a} ${x,,a} ${x:1} ${x:1:2} ${x: -1} ${x@Q} ${!x:-a}",
       "([$x<^>(a)][$x<^^>(a)][$x<,>(a)][$x<,,>(a)][$x<:>('1')][$x<:>('1:2')][$x<:>(' "
       "-1')][$x<@>(Q)][$x<!>(':-' a)])"},
      {"${#-} ${#?} ${#:-a} ${#-a} ${!#} ${!:-a} ${-} ${x[$y]:-z} ${x[a b]#c} ${x~~}",
       "([$-<#>][$?<#>][$#<:->(a)][$#<->(a)][$#<!>][$!<:->(a)][$-][$x[]<:->('$y' z)][$x[]<p#>('a "
       "b' c)][$x<~~>])"},
  });
}

TEST_CASE("the operand of a parameter is read by the rules of its operator") {
  check({
      {"${x:-a b;c} \"${x:-a \"b\" c}\" ${x:-'}'} ${x:-\\}} \"${x:-\\}}\"",
       "([$x<:->(a b;c)]['$x<:->('a b c')'][$x<:->('}')][$x<:->('}')]['$x<:->('}')'])"},
      {"${x:-~/a} \"${x:-~}\" ${x:-$(c \"}\")} \"${x:-'$(c)'}\" \"${x%'$(c)'}\"",
       "([$x<:->(<~> /a)]['$x<:->('~')'][$x<:->($([c]['}']))]['$x<:->(''' '$([c])' "
       "''')']['$x<%>('$(c)')'])"},
      {"${x:-<(c)} \"${x:-<(c)}\"", "([$x<:->(<([c]))]['$x<:->('<(c)')'])"},
      {"${x:-{a,b} *} ${x:-\"a\"'b'\\c} \"${x:-a\\b\\\"}\" ${x#*(} ${x%)}",
       "([$x<:->({a,b)][glob:* }][$x<:->('abc')]['$x<:->('a\\b\"')'][$x<p#>(glob:* ()][$x<%>())])"},
      {"${x:-${y:-${z:-$(a)}}} \"${x:-\"${y:-\"$(a)\"}\"}\"",
       "([$x<:->($y<:->($z<:->($([a]))))]['$x<:->('$y<:->('$([a])')')'])"},
  });
}

TEST_CASE("quotes do not hide a command where bash expands after them") {
  check({
      {"${x:'$(c)'} ${x['$(c)']} ; ((x['$(a)']))",
       "([$x<:>(''' '$([c])' ''')][$x[](''' '$([c])' ''')] ; (((('x['' '$([a])' '']')))"},
      {"x['$(a)']=1 $(('$(c)')) $['$(d)'] \"$(('`e`'))\"",
       "(x[''' '$([a])' ''']=[1][$((''' '$([c])' '''))][$((''' '$([d])' '''))]['$((''' '$([e])' "
       "'''))'])"},
  });
  for (const char* line :
       {"\"${x:-$'\\x24(c)'}\"", "$(($'\\x24(c)'))", "\"${x:-$'$'(a)}\"", "${x:$'\\x24(b)'}",
        "(($'\\x24(c)'))", "y=(['$(b)']=2)", "y=(['`b`']=2)", "a >&\"\\$(b)\""}) {
    INFO(line);
    CHECK(tree(line).rfind("error: ", 0) == 0);
  }
}

TEST_CASE("substitutions are found in every place and end where bash ends them") {
  check({
      {"$(a) \"$(a)\" `a` \"`a`\" $(a;b) $( (a) ) $((a);b) $((a);(b))",
       "([$([a])]['$([a])'][$([a])]['$([a])'][$([a] ; [b])][$(sub([a]))][$(sub([a]) ; "
       "[b])][$(sub([a]) ; sub([b]))])"},
      {"`a \\`b\\`` \"`a \\\"b\\\"`\" `a \\\\$x \\$y '\\q'` \"${x:-`a \\\"b\\\"`}\"",
       "([$([a][$([b])])]['$([a]['b'])'][$([a]['$' x][$y]['\\q'])]['$x<:->('$([a]['\"' b "
       "'\"'])')'])"},
      {"$(case x in x) a;; (y) b;; esac) $(a # )\n) $(a ')' \")\" \\))",
       "([$(case[x] [x]([a]) [y]([b]))][$([a])][$([a][')'][')'][')'])])"},
      {"<(a) >(b) x<(c)y 2>(d)", "([<([a])][>([b])][x <([c]) y][2 >([d])])"},
      {"\"$(a \"$(b \"c\")\")\" $(\na\n) $() `` $(a`b`) `a $(b)`",
       "(['$([a]['$([b]['c'])'])'][$([a])][$()][$()][$([a $([b])])][$([a][$([b])])])"},
      {"$(a ')' \")\" $')' \\) ${x#)}) $({ a; }) $(a|b;c&)",
       "([$([a][')'][')'][')'][')'][$x<p#>())])][$(group([a]))][$(pipe{[a]}|{[b]} ; [c] &)])"},
      {"\"a$(b)c`d`e\" f'$(g)'h\"i\"", "(['a' '$([b])' 'c' '$([d])' 'e'][f '$(g)' h 'i'])"},
  });
}

TEST_CASE("$(( is arithmetic or a subshell as bash decides it") {
  check({
      {"$((1+$(a))) $[1+`a`] \"$((${x:-(1)}))\" $(( (1) ))",
       "([$(('1+' '$([a])'))][$(('1+' '$([a])'))]['$(('$x<:->('(1)')'))'][$((' (1) '))])"},
      {"$(( $(case x in (x) a;; esac) ; b ))",
       "error: this may be arithmetic or a subshell ([$((' ' '$(case[x] [x]([a]))' ' ; b ')) "
       "$(sub([$(case[x] [x]([a]))] ; [b]))])"},
      {"$((a)) $((a) ) $( ((a)) ) $(((a);b)) $(((1)+(2))) $((a\\)b))",
       "([$(('a'))][$(sub([a]))][$((((('a')))][$(('(a);b'))][$(('(1)+(2)'))][$(('a\\)b'))])"},
      {"$((a ? (b) : c)) $((`a`)) $((a[$(b)]))",
       "([$(('a ? (b) : c'))][$(('$([a])'))][$(('a[' '$([b])' ']'))])"},
  });
}

TEST_CASE("tildes are marked where the shell expands them") {
  check({
      {"~ ~u ~/a a~ \\~ \"~\" ~\"u\" ~u\"v\" a=~ a=b:~c b:~ --x=~ ~+",
       "([<~>][<~u>][<~> /a][a~]['~']['~'][~ 'u'][~u 'v'][a= <~>][a=b: <~c>][b:~][--x=~][<~+>])"},
      {"a {~,b} x{~,b} {b,~/c} {~ {a,{~u,c}} {a}~",
       "([a][<{> <~> <,> b <}>][x <{> ~ <,> b <}>][<{> b <,> <~> /c <}>][{~][<{> a <,> <{> <~u> "
       "<,> c <}> <}>][<{> a <}> ~])"},
      {"a=~ b c=~:d:~e >~/f ~$x ~\\u ~a'b'",
       "(a=[<~>][b][c= <~> :d: <~e>][~ $x][~ 'u'][~a 'b'] >[<~> /f])"},
  });
}

TEST_CASE("braces are marked only where they close") {
  check({
      {"a {b,c} {b,{c,d}}e {a {a,b {} } , {1..3} \"{\"a,b} \\{a,b}",
       "([a][<{> b <,> c <}>][<{> b <,> <{> c <,> d <}> <}> e][{a][{a,b][<{> <}>][}][,][<{> 1..3 "
       "<}>]['{' a,b}]['{' a,b}])"},
      {"{a,b}=c x={a,b} {a,$(b)} {a,\"b,c\"} {$,a}b ${x}{a,b} {a\\,b}",
       "([<{> a <,> b <}> =c][x= <{> a <,> b <}>][<{> a <,> $([b]) <}>][<{> a <,> 'b,c' <}>][<{> $ "
       "<,> a <}> b][$x <{> a <,> b <}>][<{> a ',' b <}>])"},
  });
}

TEST_CASE("patterns are kept as written") {
  check({
      {"a * ? [a-z]* [!]a] [ [a a] [a\"b\"] [^]]* [[:alpha:]]x",
       "([a][glob:*][glob:?][glob:[a-z] glob:*][glob:[!]a]][[][[a][a]][glob:[ a 'b' ]][glob:[^]] "
       "glob:*][glob:[[:alpha:]] x])"},
      {"+(a|b) !(a) ; a !(b) @(a|$(b)) ?('c') *(a*(b)) +(a b) *(x)y",
       "([glob:+(a|b)][glob:!(a)] ; [a][glob:!(b)][glob:@(a|$(b)) $([b])][glob:?('c')]"
       "[glob:*(a*(b))][glob:+(a b)][glob:*(x) y])"},
  });
}

TEST_CASE("assignments count only before the command") {
  check({
      {"x=1 y= z=\"a b\" c", "(x=[1]y=[]z=['a b'][c])"},
      {"x=~:~/a:b y+=$(a) z[1 + $(b)]+=2 w[k]=v",
       "(x=[<~> : <~> /a:b]y+=[$([a])]z['1 + ' '$([b])']+=[2]w['k']=[v])"},
      {"x=1 2y=3 z=4 'a'=b", "(x=[1][2y=3][z=4]['a' =b])"},
      {"a x=1 y[2]=3 ; x[0]=1 y+=2", "([a][x=1][y glob:[2] =3] ; x['0']=[1]y+=[2])"},
      {"x= y ; x=$(a) ; =a ; x\\=a ; x[1]y=2",
       "(x=[][y] ; x=[$([a])] ; [=a] ; [x '=' a] ; [x glob:[1] y=2])"},
  });
}

TEST_CASE("arrays are kept element by element") {
  check({
      {"x=(a [1]=b 'f'\ng # h\n) y+=() z=(*.c {a,b})",
       "(x=([a][glob:[1] =b]['f'][g])[]y+=()[]z=([glob:* .c][<{> a <,> b <}>])[])"},
      {"x=(a)b c", "error: text after the ')' of an array (x=([a])[b][c])"},
      {"declare x=(a $(b)) -a y=(c) z=1",
       "error: an array in a word ([declare][x=( a $([b])][-a][y=( c][z=1])"},
      {"x[1 2]y z", "error: a subscript with blanks or operators ([x[1][2]y][z])"},
      {"x=([f]g) ; y=(~ a=~ \"$(b)\" <(c))",
       "(x=([glob:[f] g])[] ; y=([<~>][a= <~>]['$([b])'][<([c])])[])"},
      {"export x=(`a`) ; local -a y=([0]=$(b))",
       "error: an array in a word ([export][x=( $([a])] ; [local][-a][y=( glob:[0] = $([b])])"},
  });
}
