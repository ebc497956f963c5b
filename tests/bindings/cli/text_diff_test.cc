// The difference that a person is shown.
#include "bindings/cli/text_diff.h"

#include <string>

#include "tests/support/catch.h"

using gibbous::cli::unified_diff;

TEST_CASE("a diff shows what differs, with three lines around it") {
  CHECK(unified_diff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\ny\n6\n7\n8\n9\n", false) ==
        "--- f\n+++ f\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+x\n+y\n 6\n 7\n 8\n");
}

TEST_CASE("a diff of equal texts is empty") {
  CHECK(unified_diff("f", "a\n", "a\n", false).empty());
}

TEST_CASE("a diff of a new file has only new lines") {
  CHECK(unified_diff("f", "", "a\nb\n", true) == "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  CHECK(unified_diff("f", "a\n", "", false) == "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n");
}

TEST_CASE("a diff says where a last line has no end") {
  CHECK(unified_diff("f", "a", "a\nb", false) ==
        "--- f\n+++ f\n@@ -1,1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n"
        "\\ No newline at end of file\n");
}

TEST_CASE("a diff is printable whatever the file holds, and keeps tabs") {
  CHECK(unified_diff("f\x1b", "\ta\r\n", "\tb\x1b[2J\xff\r\n", false) ==
        "--- f\\x1b\n+++ f\\x1b\n@@ -1,1 +1,1 @@\n-\ta\n+\tb\\x1b[2J\\xff\n");
}

TEST_CASE("repeated lines are compared once") {
  CHECK(unified_diff("f", "a\na\n", "a\na\na\n", false) ==
        "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n a\n+a\n");
}
