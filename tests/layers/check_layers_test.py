#!/usr/bin/env python3
"""Tests of check_layers.py: on small trees with and without an offence."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import check_layers


class CheckLayers(unittest.TestCase):
    def check(self, files):
        """The lines that check_layers prints for a tree of these files."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding='utf-8')
                (path.parent / 'README.md').touch()
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                code = check_layers.main([root])
            lines = printed.getvalue().splitlines()
            self.assertEqual(code, 1 if lines else 0)
            return lines

    def assert_offence(self, files, *words):
        lines = self.check(files)
        self.assertEqual(len(lines), 1, lines)
        for word in words:
            self.assertIn(word, lines[0])

    def test_a_tree_that_keeps_the_rules_is_silent(self):
        self.assertEqual(self.check({
            'bindings/include/gibbous/runtime.h': '#include <string>\n#include "gibbous/status.h"\n',
            'runtime/runs/runs.cc': '#include "runtime/output/stream.h"\n#include <uv.h>\n',
            'bindings/lua/vm/state.cc': '#include <lua.hpp>\n#include "runtime/runs/runs.h"\n',
            'bindings/host/runtime.cc': '#include "bindings/lua/call/engine.h"\n',
            'bindings/cli/main.cc': '#include "bindings/mcp/stdio.h"\n',
        }), [])

    def test_runtime_never_includes_bindings(self):
        self.assert_offence({'runtime/runs/run.cc': '\n#include "bindings/lua/vm/state.h"\n'},
                            'runtime/runs/run.cc:2:', 'bindings/lua')

    def test_runtime_never_includes_json(self):
        self.assert_offence({'runtime/wait/wait.cc': '#include <nlohmann/json.hpp>\n'}, 'nlohmann')

    def test_output_knows_nothing_of_runs(self):
        self.assert_offence({'runtime/output/stream.cc': '#include "runtime/runs/run.h"\n'},
                            'runtime/runs')

    def test_only_the_lua_binding_includes_lua(self):
        self.assert_offence({'bindings/host/runtime.cc': '#include <lua.hpp>\n'}, 'Lua')
        self.assert_offence({'bindings/mcp/stdio.cc': '#  include "lauxlib.h"\n'}, 'Lua')

    def test_front_ends_reach_nothing_behind_the_runtime(self):
        self.assert_offence({'bindings/cli/call.cc': '#include "bindings/lua/call/engine.h"\n'},
                            'bindings/lua')
        self.assert_offence({'bindings/mcp/stdio.cc': '#include "runtime/runs/runs.h"\n'},
                            'runtime/runs')

    def test_public_headers_show_no_library(self):
        for header in ('uv.h', 'lua.hpp', 'nlohmann/json.hpp', 'runtime/runs/run.h'):
            self.assert_offence({'runtime/include/gibbous/x.h': f'#include <{header}>\n'}, header)

    def test_a_new_folder_must_be_given_its_place(self):
        self.assert_offence({'runtime/extra/x.cc': ''}, 'runtime/extra', 'unknown folder')

    def test_each_folder_says_what_it_is(self):
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root) / 'runtime' / 'base'
            folder.mkdir(parents=True)
            (folder / 'clock.h').touch()
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                self.assertEqual(check_layers.main([root]), 1)
            self.assertIn('README.md', printed.getvalue())


if __name__ == '__main__':
    unittest.main()
