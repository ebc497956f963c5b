#!/usr/bin/env python3
"""The output of runs, byte by byte, while they go on and afterwards."""

import asyncio

import support
from support import gibbous

BUFFER_BYTES = 1 << 20  # what memory keeps of a stream
LINE = b'0123456789\n'


class Output(support.Case):
    async def read(self, stream):
        return b''.join([piece async for piece in stream])

    async def test_it_comes_while_the_run_goes_on_and_ends_with_it(self):
        rt = await self.started()
        run = (await rt.call('bg_start', command='echo first; read line; echo got $line', stdin=True)).data['id']
        output = rt.output(run)
        self.assertEqual(await anext(output), b'first\n')
        self.assertEqual(output.cursor, 6)
        await rt.call('bg_input', id=run, keys='word<Enter>')
        self.assertEqual(await self.read(output), b'got word\n')
        with self.assertRaises(StopAsyncIteration):
            await anext(output)

    async def test_stdout_and_stderr_are_two_streams(self):
        rt = await self.started()
        run = (await rt.call('bg_start', command='echo out; echo err >&2')).data['id']
        self.assertEqual(await self.read(rt.output(run)), b'out\n')
        self.assertEqual(await self.read(rt.output(run, 'stderr')), b'err\n')

    async def test_it_can_be_read_again_and_from_the_middle(self):
        rt = await self.started()
        run = (await rt.call('bg_start', command='echo 0123456789')).data['id']
        self.assertEqual(await self.read(rt.output(run)), b'0123456789\n')
        self.assertEqual(await self.read(rt.output(run, cursor=5)), b'56789\n')
        self.assertEqual(await self.read(rt.output(run, cursor=500)), b'')

    async def test_bytes_are_bytes(self):
        rt = await self.started()
        command = "printf '\\000\\377\\303\\050end'"
        run = (await rt.call('bg_start', command=command)).data['id']
        self.assertEqual(await self.read(rt.output(run)), b'\x00\xff\xc3(end')

    async def test_of_a_flood_the_kept_bytes_come_in_order_and_the_cursor_jumps(self):
        rt = await self.started()
        total = 20_000_000
        run = (await rt.call('bg_start', command=f'yes {LINE.decode().strip()} | head -c {total}')).data['id']
        output = rt.output(run)
        read = 0
        async for piece in output:
            begin = (output.cursor - len(piece)) % len(LINE)
            self.assertEqual(piece, (LINE * (len(piece) // len(LINE) + 2))[begin:begin + len(piece)])
            read += len(piece)
        self.assertEqual(output.cursor, total)
        self.assertGreaterEqual(read, min(total, BUFFER_BYTES))
        again = rt.output(run)
        await self.read(again)
        self.assertEqual(again.cursor, total)

    async def test_several_readers_do_not_disturb_one_another(self):
        rt = await self.started()
        run = (await rt.call('bg_start', command='seq 2000')).data['id']
        outputs = await asyncio.gather(*(self.read(rt.output(run)) for _ in range(5)))
        self.assertEqual(set(outputs), {b''.join(b'%d\n' % number for number in range(1, 2001))})

    async def test_a_reader_that_is_cancelled_leaves_the_others_alone(self):
        rt = await self.started()
        run = (await rt.call('bg_start', command='read line; echo got $line', stdin=True)).data['id']
        readers = [asyncio.create_task(self.read(rt.output(run))) for _ in range(2)]
        await rt.call('bg_status')
        readers[0].cancel()
        await rt.call('bg_input', id=run, keys='word<Enter>')
        self.assertEqual(await readers[1], b'got word\n')
        self.assertTrue(readers[0].cancelled())

    async def test_closing_in_the_middle_raises(self):
        rt = await self.started()
        run = (await rt.call('bg_start', command='sleep 60')).data['id']
        reader = asyncio.create_task(self.read(rt.output(run)))
        await rt.call('bg_status')
        await rt.close()
        with self.assertRaises(gibbous.ClosedError):
            await reader

    async def test_what_is_wrong_is_named(self):
        rt = await self.started()
        with self.assertRaisesRegex(gibbous.NotFound, 'nobody'):
            await anext(rt.output('nobody'))
        with self.assertRaisesRegex(gibbous.InvalidArgument, 'stream: expected stdout or stderr'):
            rt.output('x', 'both')
        with self.assertRaisesRegex(gibbous.InvalidArgument, 'cursor: expected 0 or more'):
            rt.output('x', cursor=-1)
        with self.assertRaisesRegex(gibbous.InvalidArgument, 'run: expected a string without NUL'):
            await anext(rt.output('a\0b'))


if __name__ == '__main__':
    support.main()
