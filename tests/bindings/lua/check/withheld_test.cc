// Which variables a sandboxed run does not inherit.
#include "bindings/lua/check/withheld.h"

#include <string>
#include <vector>

#include "runtime/audit/redact.h"
#include "tests/support/catch.h"

namespace gibbous::lua {
namespace {

using Names = std::vector<std::string>;

Names names_of(const Names& environment, const Names& passed = {}) {
  return withheld_of(environment, passed, redact_secrets).names;
}

TEST_CASE("secrets by their name or their value are withheld, and nothing else is") {
  const Names secret = {
      "GH_TOKEN=abc",
      "NPM_TOKEN=x",
      "AWS_SECRET_ACCESS_KEY=y/z",
      "MYSQL_PWD=hunter2",
      "DB_PASSWORD=a b",
      "SOME=ghp_abcdefghijklmnopqrstuvwxyz0123456789",
      "X=AKIAABCDEFGHIJKLMNOP",
      "DEPLOY_KEY=abcdef0123456789abcdef",
      "JWT_LIKE=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijklmnop",
      "PEM=-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
      "GOOGLE_APPLICATION_CREDENTIALS=/home/u/key.json"};
  for (const std::string& each : secret) {
    INFO(each);
    CHECK(names_of({each}) == Names{each.substr(0, each.find('='))});
  }
  const Names harmless = {"PATH=/usr/bin",
                          "HOME=/root",
                          "PWD=/w",
                          "OLDPWD=/w",
                          "LANG=C.UTF-8",
                          "TERM=xterm",
                          "EMPTY=",
                          "NO_EQUALS",
                          "SSH_AUTH_SOCK=/tmp/agent",
                          "GIT_ASKPASS=/usr/bin/askpass",
                          "MAX_TOKENS=100",
                          "TOKENIZERS_PARALLELISM=false",
                          "PASSWORD_STORE_DIR=/p",
                          "XDG_SESSION_ID=3",
                          "KEYBOARD_KEY=none",
                          "HOST_KEY=/etc/ssh/key",
                          "PUBLIC_URL=https://example.org/a@b",
                          "CI=true",
                          "USE_TOKEN=true",
                          "GOPRIVATE=corp.example",
                          "LS_COLORS=di=01;34:ln=01;36"};
  CHECK(names_of(harmless).empty());
}

TEST_CASE("an address with a password goes on without it") {
  const Withheld withheld = withheld_of(
      {"DATABASE_URL=postgres://u:pw@h:5432/db", "PIP_INDEX_URL=https://u:pw@pypi.corp/simple",
       "SECRET_URLS=token=abc https://u:pw@h/"},
      {}, redact_secrets);
  CHECK(withheld.names == Names{"DATABASE_URL", "PIP_INDEX_URL", "SECRET_URLS"});
  CHECK(withheld.addresses.at("DATABASE_URL") == "postgres://h:5432/db");
  CHECK(withheld.addresses.at("PIP_INDEX_URL") == "https://pypi.corp/simple");
  CHECK(withheld.addresses.count("SECRET_URLS") == 0);
}

TEST_CASE("what is passed on purpose is not withheld") {
  CHECK(names_of({"GH_TOKEN=a", "NPM_TOKEN=b"}, {"NPM_TOKEN"}) == Names{"GH_TOKEN"});
}

}  // namespace
}  // namespace gibbous::lua
