// What is signed for git in a sandbox: commits and tags as git makes them, and nothing else.
#include "bindings/cli/sign.h"

#include <string>

#include "tests/support/catch.h"

namespace {

using gibbous::cli::is_signable;

const std::string kId(40, 'a');
const std::string kWho = "Ann O'Neill <ann@example.com> 1700000000 +0100\n";
const std::string kTree = "tree " + kId + "\n";
const std::string kPeople = "author " + kWho + "committer " + kWho;
const std::string kTag = "object " + kId + "\ntype commit\ntag v1\n";

TEST_CASE("commits and tags as git makes them are signable") {
  const std::string merged = "mergetag object " + kId + "\n type commit\n tag v1\n tagger " + kWho +
                             " \n release\n -----BEGIN PGP SIGNATURE-----\n \n x\n";
  for (const std::string& text :
       {kTree + kPeople + "\nmessage\n", kTree + kPeople + "\n",
        kTree + "parent " + kId + "\nparent " + kId + "\n" + kPeople + "\nmerge\n",
        kTree + kPeople + "encoding ISO-8859-1\n\n\xe4\xf6\n", kTree + kPeople + merged + "\nx\n",
        "tree " + std::string(64, '0') + "\n" + kPeople + "\nsha256\n",
        kTag + "tagger " + kWho + "\nrelease\n"}) {
    INFO(text);
    CHECK(is_signable(text));
  }
}

TEST_CASE("what is no whole commit or tag is not signable") {
  const std::string good = kTree + kPeople + "\nmessage\n";
  for (const std::string& text :
       {std::string(), std::string("hello\n"), " " + good, "\n" + good, kTree + good,
        kPeople + "\nx\n", kTree + kPeople, kTree + "author " + kWho + "\nx\n",
        kTree + kPeople + "foo bar\n\nx\n", kTree + kPeople + "gpgsig x\n\nx\n",
        "tree " + std::string(39, 'a') + "\n" + kPeople + "\nx\n",
        "tree " + std::string(40, 'A') + "\n" + kPeople + "\nx\n", good + std::string(1, '\0'),
        kTree + "author x\ncommitter " + kWho + "\nx\n", kTag + "\nx\n", kTag + "tagger " + kWho,
        std::string("blob 5\n\nhello"), kTree + kPeople + kPeople + "\nx\n"}) {
    INFO(text);
    CHECK_FALSE(is_signable(text));
  }
}

}  // namespace
