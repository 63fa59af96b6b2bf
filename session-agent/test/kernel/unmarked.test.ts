import { writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Stream } from '../../src/kernel-process/kernel.ts';
import { openFifos } from '../../src/kernel-process/output/fifos.ts';
import { createKernelOutput } from '../../src/kernel-process/output/kernel-output.ts';
import { openKernel } from '../support/open-kernel.ts';
import { until } from '../support/until.ts';

test('passes on what it held back of a stream without an end mark, and takes what follows for background output', async () => {
  const fifos = openFifos('/tmp');
  const events: string[] = [];
  const output = createKernelOutput(
    {
      tmp: '/tmp',
      onStep: (stream, bytes) => events.push(`${stream} ${bytes}`),
      onMark: (stream, mark) => events.push(`${stream} <${mark}>`),
      onBackground: (stream, bytes, stepId) => events.push(`${stream} ${bytes} of ${stepId}`),
    },
    { stdout: fifos.stdout.reader, stderr: fifos.stderr.reader },
  );
  const write = async (stream: Stream, text: string) => {
    const before = events.length;
    writeSync(fifos[stream].own, text);
    await until('the output', () => events.length > before);
  };
  output.begin('one', '0'.repeat(32));
  await write('stdout', 'a\0hold');
  output.endStream('stdout');
  await write('stdout', 'b');
  await write('stderr', 'c');
  expect(events).toEqual(['stdout a', 'stdout \0hold', 'stdout <end>', 'stdout b of one', 'stderr c']);
  output.close();
  fifos.closeWriters();
});

test('keeps a beginning of a mark or a character that the agent has read before the step ends', async () => {
  await using python = await openKernel('python');
  const begin = 'import os, time; os.write(1, b"a\\0hold"); os.write(2, b"b\\xe2\\x82"); time.sleep(0.2)';
  expect(await python.run(begin)).toMatchObject({ stdout: 'a\0hold', stderr: 'b\ufffd' });
  expect(await python.run('os.write(1, b"\\xac"); 1')).toMatchObject({ stdout: '\ufffd', stderr: '', shown: '1' });
  expect(python.background()).toBe('');
});

test('stays on new FIFOs on which the first step is silent', async () => {
  await using python = await openKernel('python');
  await python.run('import subprocess; child = subprocess.Popen(["sleep", "60"])');
  for (const step of ['1', 'child.kill()', 'child.wait() and None', '2']) await python.run(step);
  const seen = await python.run('import sys; print("out"); print("err", file=sys.stderr)');
  expect(seen).toMatchObject({
    stdout: 'out\n',
    stderr: 'err\n',
    end: { status: 'succeeded', streamIncomplete: false },
  });
});

test('goes on after a kernel that leaves out marks of unread output', async () => {
  await using python = await openKernel('python');
  await python.run(
    'import sys; streams = sys.modules["holdfast_kernel.streams.output_streams"]; has_unread = streams.has_unread',
  );
  await python.run('streams.has_unread = lambda fd: False');
  const wrong = await python.run('print("x" * 50_000)');
  expect(wrong.end).toMatchObject({ status: 'succeeded' });
  const mended = await python.run('streams.has_unread = has_unread');
  expect(wrong.stdout + python.background() + mended.stdout).toBe(`${'x'.repeat(50_000)}\n`);
  expect(await python.run('print("y")')).toMatchObject({ stdout: 'y\n', end: { streamIncomplete: false } });
});

test('ends a step whose descriptors of the marks say nothing about unread output', async () => {
  await using python = await openKernel('python');
  const step = 'import os; null = os.open("/dev/null", os.O_WRONLY); kept = os.dup(5); os.dup2(null, 5); print(1)';
  expect((await python.run(step)).end).toMatchObject({ status: 'succeeded', streamIncomplete: true });
  await python.run('os.dup2(kept, 5, inheritable=False)');
  expect(await python.run('print(2)')).toMatchObject({ stdout: '2\n', end: { streamIncomplete: false } });
});

test('goes on finding children when its descriptor for that is closed or stands for another file', async () => {
  await using python = await openKernel('python');
  await python.run(
    'import os; children = next(fd for fd in range(3, 99) if os.readlink(f"/proc/self/fd/{fd}").endswith("/children"))',
  );
  const step = (loss: string) => `
${loss}
import subprocess
child = subprocess.Popen(["sh", "-c", "read told; echo late"], stdin=subprocess.PIPE)`;
  for (const loss of ['os.close(children)', 'children = os.open("/dev/null", os.O_RDONLY)']) {
    const { stepId } = await python.run(step(loss));
    expect(await python.run('child.communicate() and None')).toMatchObject({ stdout: '' });
    await until('the late output', () => python.background(stepId) === 'late\n');
  }
});

test('goes on counting threads when its descriptor for that is closed or stands for another file', async () => {
  await using python = await openKernel('python');
  await python.run(
    'import os; task = next(fd for fd in range(3, 99) if os.readlink(f"/proc/self/fd/{fd}").endswith("/task"))',
  );
  const step = (loss: string) => `
${loss}
import threading, time
def talk():
    while not told.wait(0.01): pass
    print("late")
told = threading.Event()
thread = threading.Thread(target=talk)
thread.start()`;
  for (const loss of ['os.close(task)', 'task = os.open("/dev/null", os.O_RDONLY)']) {
    const { stepId } = await python.run(step(loss));
    expect(await python.run('told.set(); thread.join()')).toMatchObject({ stdout: '' });
    await until('the late output', () => python.background(stepId) === 'late\n');
  }
});

const keepWithoutMarks = `
import fcntl, gc, sys
fcntl.F_SETSIG = -1
kept_file = sys.modules["holdfast_kernel.streams.descriptors"].KeptFile
for one in gc.get_objects():
    if type(one) is kept_file:
        one.keep()
        print(one._has_mark)`;

test.for([
  ['that can be marked', '', ''],
  ['on a system without marks', keepWithoutMarks, 'False\n'.repeat(3)],
] as const)('puts its own files back, %s, after code has put others in their place', async ([, before, shown]) => {
  await using python = await openKernel('python');
  expect((await python.run(before)).stdout).toBe(shown);
  await python.run('import os; null = os.open("/dev/null", os.O_WRONLY)');
  for (const loss of ['os.dup2(null, 1); os.dup2(null, 2)', 'os.dup2(2, 1)', 'os.dup2(1, 2)', 'os.close(1)']) {
    await python.run(loss);
    const seen = await python.run('os.write(1, b"out"); os.write(2, b"err") and None');
    expect(seen, loss).toMatchObject({ stdout: 'out', stderr: 'err' });
  }
});
