#!/usr/bin/env python3
"""The configuration of a user, a project and a machine counts only where a program asks for it."""

import os
from unittest import mock

import support
from support import gibbous


class Layers(support.Case):
    def setUp(self) -> None:
        super().setUp()
        config = self.base / 'config' / 'gibbous'
        config.mkdir(parents=True)
        (config / 'config.lua').write_text("return { toolsets = { 'wait' } }", encoding='utf-8')
        patch = mock.patch.dict(os.environ, XDG_CONFIG_HOME=str(self.base / 'config'))
        patch.start()
        self.addCleanup(patch.stop)

    async def names(self, **changed):
        rt = await self.started(**changed)
        return {tool['name'] for tool in rt.tools()}

    async def test_without_layers_the_configuration_of_the_user_does_not_count(self):
        self.assertIn('bg_start', await self.names())

    async def test_the_layer_of_the_user_counts_where_it_is_named(self):
        self.assertEqual(await self.names(layers=['user']), {'wait_for'})

    async def test_a_project_that_nobody_trusts_changes_nothing(self):
        project = self.workspace / '.gibbous'
        project.mkdir()
        (project / 'config.lua').write_text('return { limits = { max_concurrent = 1 } }', encoding='utf-8')
        self.assertIn('bg_start', await self.names(layers=['project']))

    async def test_an_unknown_layer_is_named(self):
        with self.assertRaisesRegex(gibbous.GibbousError, "expected managed, user or project, got 'team'"):
            await self.started(layers=['team'])


if __name__ == '__main__':
    support.main()
