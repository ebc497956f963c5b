// Compilers, linters and build tools, and the crashes of what they build.
const tsc = {
  packages: ['typescript'],
  version: 'tsc --version',
  files: {
    'tsconfig.json': '{ "compilerOptions": { "noEmit": true, "strict": '
      + 'true }, "include": ["src"] }\n',
    'good.json': '{ "compilerOptions": { "noEmit": true }, "files": ["good.ts"] }\n',
    'good.ts': 'export const good: number = 1;\n',
    'src/app.ts': "const port: number = 'http';\nexport function add(a: number): string {\n"
      + "  return a;\n}\nlisten(port);\n",
  },
  recordings: [
    { name: 'error', command: 'tsc' },
    { name: 'error_pty', command: 'tsc', pty: true },
    { name: 'watch_ready', command: 'tsc --watch -p good.json', steps: [{ until: /Watching/ }] },
    { name: 'watch_error_pty', command: 'tsc --watch', pty: true, steps: [{ until: /Watching/ }] },
  ],
};

const eslint = {
  packages: ['eslint', '@eslint/js'],
  version: 'eslint --version',
  files: {
    'eslint.config.mjs':
      "import js from '@eslint/js';\nexport default [js.configs.recommended, "
        + "{ rules: { 'no-unused-vars': 'warn' } }];\n",
    'src/app.js': 'const unused = 1;\nif (missing == 2) {\n  debugger;\n}\n',
    'src/syntax.js': 'export function add(a, b) {\n  return a +;\n}\n',
    'good/warn.js': 'const unused = 1;\n',
  },
  recordings: [
    { name: 'error', command: 'eslint src' },
    { name: 'error_pty', command: 'eslint src', pty: true },
    { name: 'warning', command: 'eslint good' },
  ],
};

const MAIN_C =
  '#include <stdio.h>\n\nint main(void) {\n  int unused = 1;\n  printf("%d\\n", missing);\n'
    + '  return 0\n}\n';
const LINK_C = 'int frobnicate(void);\nint main(void) { return frobnicate(); }\n';
const CRASH_C = '#include <stdlib.h>\n\nint main(void) {\n  int *list = malloc(4 * sizeof *list);\n'
  + '  free(list);\n  return list[1];\n}\n';
const SEGV_C = 'int main(void) {\n  volatile int *nothing = 0;\n  return *nothing;\n}\n';

function c_compiler(compiler) {
  return {
    version: `${compiler} --version | head -n 1`,
    files: { 'main.c': MAIN_C, 'link.c': LINK_C, 'crash.c': CRASH_C, 'segv.c': SEGV_C,
             'header.c': '#include "missing.h"\n' },
    recordings: [
      { name: 'error', command: `${compiler} -Wall -c main.c` },
      { name: 'error_pty', command: `${compiler} -Wall -c main.c`, pty: true },
      { name: 'header', command: `${compiler} -c header.c` },
      { name: 'link', command: `${compiler} link.c -o link` },
      { name: 'link_pty', command: `${compiler} link.c -o link`, pty: true },
      { name: 'sanitizer',
        command: `${compiler} -g -fsanitize=address crash.c -o crash && ./crash` },
      { name: 'segfault', command: `${compiler} segv.c -o segv && bash -c './segv; exit'` },
    ],
  };
}

const make = {
  version: 'make --version | head -n 1',
  files: {
    Makefile: 'all: app.o\n\napp.o: app.c\n\tfalse\n\ngood:\n\t@echo good\n',
    'app.c': '',
    'missing.mk': 'all: app.x\n',
    'syntax.mk': 'all:\n    false\n',
  },
  recordings: [
    { name: 'error', command: 'make' },
    { name: 'missing', command: 'make -f missing.mk' },
    { name: 'syntax', command: 'make -f syntax.mk' },
    { name: 'ignored', command: 'make -k; make good' },
  ],
};

const cmake = {
  version: 'cmake --version | head -n 1',
  files: {
    'CMakeLists.txt': 'cmake_minimum_required(VERSION 3.20)\nproject(app C)\n'
      + 'add_executable(app main.c)\nenable_testing()\nadd_test(NAME unit COMMAND false)\n'
      + 'add_test(NAME good COMMAND true)\n',
    'main.c': 'int main(void) { return missing; }\n',
    'bad/CMakeLists.txt': 'cmake_minimum_required(VERSION 3.20)\nproject(app NONE)\n'
      + 'find_package(Missing REQUIRED)\n',
  },
  recordings: [
    { name: 'configure', command: 'cmake -S bad -B build_bad' },
    { name: 'configure_pty', command: 'cmake -S bad -B build_bad_pty', pty: true },
    { name: 'build', command: 'cmake -B build >/dev/null; cmake --build build' },
    { name: 'build_pty', command: 'cmake --build build', pty: true },
    { name: 'build_ninja', command: 'cmake -G Ninja -B ninja >/dev/null; cmake --build ninja' },
    { name: 'ctest', command: 'ctest --test-dir build' },
  ],
};

const cargo = {
  version: 'cargo --version',
  files: {
    'Cargo.toml': '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
    'src/lib.rs': 'pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[cfg(test)]\n'
      + 'mod tests {\n    use super::*;\n\n'
      + '    #[test]\n    fn it_adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n\n'
      + '    #[test]\n    fn zero() {\n'
      + '        assert_eq!(add(0, 0), 0);\n    }\n}\n',
    'src/bin/crash.rs': 'fn main() {\n    let list = vec![1, 2, 3];\n    let at = list.len();\n'
      + '    println!("{}", list[at]);\n}\n',
    'src/bin/bad.rs': 'fn main() {\n    let unused = 1;\n    let port: u16 = "http";\n'
      + '    missing(port);\n}\n',
  },
  recordings: [
    { name: 'error', command: 'cargo build --bin bad' },
    { name: 'error_pty', command: 'cargo build --bin bad', pty: true },
    { name: 'test', command: 'cargo test --lib' },
    { name: 'test_pty', command: 'cargo test --lib', pty: true },
    { name: 'panic', command: 'cargo run --bin crash' },
    { name: 'panic_backtrace', command: 'RUST_BACKTRACE=1 cargo run -q --bin crash' },
  ],
};

const go = {
  version: 'go version',
  files: {
    'go.mod': 'module example.com/app\n\ngo 1.19\n',
    'bad/main.go': 'package main\n\nimport "os"\n\nfunc main() {\n\tvar port int = "http"\n'
      + '\tlisten(port)\n}\n',
    'sum/sum.go': 'package sum\n\nfunc Add(a, b int) int { return a - b }\n',
    'sum/sum_test.go': 'package sum\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n'
      + '\tif got := Add(1, 2); got != 3 {\n'
      + '\t\tt.Errorf("got %d, want 3", got)\n\t}\n\tt.Run("zero", func(t *testing.T) '
      + '{ t.Log("fine") })\n}\n',
    'crash/main.go': 'package main\n\nimport "fmt"\n\nfunc main() {\n\tlist := []int{1, 2, 3}\n'
      + '\tat := len(list)\n'
      + '\tfmt.Println(list[at])\n}\n',
    'lock/main.go': 'package main\n\nfunc main() {\n\twait := make(chan int)\n\t<-wait\n}\n',
    'vet/main.go': 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Printf("%d\\n", "x")\n}\n',
    'serve/main.go': 'package main\n\nimport (\n\t"log"\n\t"net/http"\n)\n\nfunc main() {\n'
      + '\tlog.Print("listening on localhost:8280")\n'
      + '\tlog.Fatal(http.ListenAndServe("localhost:8280", nil))\n}\n',
  },
  recordings: [
    { name: 'error', command: 'go build -o out ./bad' },
    { name: 'vet', command: 'go vet ./vet' },
    { name: 'test', command: 'go test ./...' },
    { name: 'test_verbose', command: 'go test -v ./sum' },
    { name: 'panic', command: 'go run ./crash' },
    { name: 'deadlock', command: 'go run ./lock' },
    { name: 'ready', command: 'go run ./serve', steps: [{ until: /listening/ }] },
  ],
};

const MAVEN_REPOSITORY = '/usr/share/maven-repo';
const maven = {
  version: 'mvn --version | head -n 1',
  files: {
    'pom.xml': '<project xmlns="http://maven.apache.org/POM/4.0.0">\n'
      + '  <modelVersion>4.0.0</modelVersion>\n'
      + '  <groupId>app</groupId>\n  <artifactId>app</artifactId>\n  <version>1</version>\n'
      + '  <properties>\n'
      + '    <maven.compiler.source>17</maven.compiler.source>\n'
      + '    <maven.compiler.target>17</maven.compiler.target>\n'
      + '    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>\n'
      + '  </properties>\n</project>\n',
    'bad.xml': '<project>\n  <modelVersion>4.0.0</modelVersion>\n  <groupId>app</groupId>\n'
      + '</project>\n',
    'src/main/java/App.java': 'class App {\n  int port() {\n    return missing\n  }\n}\n',
  },
  recordings: [
    { name: 'error', command: `mvn -o -Dmaven.repo.local=${MAVEN_REPOSITORY} compile` },
    { name: 'error_pty', command: `mvn -o -Dmaven.repo.local=${MAVEN_REPOSITORY} compile`,
      pty: true },
    { name: 'model', command: 'mvn -o -f bad.xml compile' },
  ],
};

const gradle = {
  version: 'gradle --version | grep "^Gradle"',
  files: {
    'settings.gradle': "include 'bad', 'sum'\n",
    'bad/build.gradle': "apply plugin: 'java'\n",
    'bad/src/main/java/App.java': 'class App {\n  int port() {\n    return missing;\n  }\n}\n',
    'sum/build.gradle': "apply plugin: 'java'\ndependencies {\n"
      + "  testCompile files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar')\n"
      + "}\n",
    'sum/src/test/java/SumTest.java': 'import org.junit.Test;\n'
      + 'import static org.junit.Assert.assertEquals;\n\n'
      + 'public class SumTest {\n  @Test public void adds() { assertEquals(3, 1 - 2); }\n'
      + '  @Test public void zero() { assertEquals(0, 0); }\n}\n',
  },
  recordings: [
    { name: 'error', command: 'gradle --offline :bad:build' },
    { name: 'error_pty', command: 'gradle --offline :bad:build', pty: true },
    { name: 'test', command: 'gradle --offline :sum:test' },
  ],
};

export default {
  tsc, eslint, gcc: c_compiler('gcc'), clang: c_compiler('clang'), make, cmake, cargo, go, maven,
  gradle,
};
