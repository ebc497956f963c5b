#!/usr/bin/env python3
"""Questions of the policy: answered by a handler, sync or async, withdrawn, remembered, or without a person."""

import asyncio

import support
from support import gibbous

COMMAND = 'touch made'


class Asks(support.Case):
    async def asking(self, handler):
        """A runtime whose policy asks about everything but reading."""
        return await self.started(mode='default', on_ask=handler)

    async def test_what_is_allowed_is_carried_out(self):
        asks: list[gibbous.Ask] = []

        async def allow(ask):
            asks.append(ask)
            return True

        rt = await self.asking(allow)
        await rt.call('bg_start', command=COMMAND, until={'exit': True})
        self.assertTrue((self.workspace / 'made').exists())
        self.assertEqual(asks[0].command, COMMAND)
        self.assertEqual(asks[0].arguments['command'], COMMAND)
        self.assertEqual((asks[0].tool, asks[0].mode), ('bg_start', 'default'))
        self.assertTrue(asks[0].reason and asks[0].id)

    async def test_what_is_refused_is_denied_with_the_reason(self):
        async def refuse(ask):
            return gibbous.Answer(False, 'use another directory')

        rt = await self.asking(refuse)
        with self.assertRaisesRegex(gibbous.ToolError, 'use another directory') as caught:
            await rt.call('bg_start', command=COMMAND)
        self.assertEqual(caught.exception.code, 'denied')
        self.assertFalse((self.workspace / 'made').exists())

    async def test_a_sync_handler_answers_too(self):
        rt = await self.asking(lambda ask: True)
        self.assertTrue((await rt.call('bg_start', command=COMMAND)).ok)

    async def test_without_a_handler_the_call_needs_approval(self):
        rt = await self.started(mode='default')
        with self.assertRaises(gibbous.ToolError) as caught:
            await rt.call('bg_start', command=COMMAND)
        self.assertEqual(caught.exception.code, 'needs_approval')
        self.assertFalse((self.workspace / 'made').exists())

    async def test_a_handler_can_be_set_later(self):
        rt = await self.started(mode='default')

        @rt.on_ask
        async def allow(ask):
            return True

        self.assertTrue((await rt.call('bg_start', command=COMMAND)).ok)

    async def test_a_handler_that_raises_or_answers_nonsense_denies(self):
        def broken(ask):
            raise ZeroDivisionError

        for handler, error in [(broken, ZeroDivisionError), (lambda ask: 'yes', TypeError),
                               (lambda ask: gibbous.Answer(True, remember='never'), None)]:
            with self.subTest(error):
                caught = self.catch_loop_errors()
                async with self.runtime(mode='default', on_ask=handler) as rt:
                    with self.assertRaisesRegex(gibbous.ToolError, '^denied'):
                        await rt.call('bg_start', command=COMMAND)
                if error:
                    self.assertIsInstance(caught[0]['exception'], error)

    async def test_an_answer_can_count_for_the_session(self):
        asks: list[gibbous.Ask] = []

        async def remember(ask):
            asks.append(ask)
            return gibbous.Answer(True, remember='session')

        rt = await self.asking(remember)
        for _ in range(2):
            await rt.call('bg_start', command=COMMAND, until={'exit': True})
        self.assertEqual(len(asks), 1)

    async def test_an_open_question_can_be_answered_by_its_id(self):
        asked, withdrawn = asyncio.Event(), asyncio.Event()

        async def think(ask):
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                withdrawn.set()

        rt = await self.asking(think)
        call = asyncio.create_task(rt.call('bg_start', command=COMMAND))
        await asked.wait()
        [ask] = rt.asks()
        self.assertEqual((ask['command'], ask['waits']), (COMMAND, True))
        rt.answer(ask['id'], gibbous.Answer(True, who='ann'))
        self.assertTrue((await call).ok)
        await withdrawn.wait()
        with self.assertRaisesRegex(gibbous.NotFound, 'already answered: allowed once by ann'):
            rt.answer(ask['id'], False)

    async def test_a_refused_call_may_come_again_once_somebody_has_answered(self):
        rt = await self.started(mode='default')
        with self.assertRaisesRegex(gibbous.ToolError, 'gibbous asks') as caught:
            await rt.call('bg_start', command=COMMAND)
        rt.answer(caught.exception.data['question'], True)
        async for event in rt.events('ask_answered'):
            self.assertEqual(event.data['decision'], 'allow')
            break
        self.assertTrue((await rt.call('bg_start', command=COMMAND)).ok)

    async def asked_call(self):
        """A runtime, a call whose handler thinks for ever, and the event that the handler was cancelled."""
        asked, cancelled = asyncio.Event(), asyncio.Event()

        async def think(ask):
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()

        rt = await self.asking(think)
        call = asyncio.create_task(rt.call('bg_start', command=COMMAND))
        await asked.wait()
        return rt, call, cancelled

    async def test_a_handler_whose_call_is_cancelled_is_cancelled(self):
        _, call, cancelled = await self.asked_call()
        call.cancel()
        await cancelled.wait()
        self.assertFalse((self.workspace / 'made').exists())

    async def test_closing_cancels_a_handler(self):
        rt, call, cancelled = await self.asked_call()
        await rt.close()
        await cancelled.wait()
        with self.assertRaises(gibbous.ToolError):
            await call


if __name__ == '__main__':
    support.main()
