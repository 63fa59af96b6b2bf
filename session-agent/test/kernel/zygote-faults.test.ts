import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listProcesses, readProcess } from '../../src/kernel-process/end/list-processes.ts';
import { kernelConfig, openKernel, openZygote } from '../support/open-kernel.ts';
import { until } from '../support/until.ts';

const parentOf = (pid: number) => readProcess(pid)?.parent ?? 0;
const childrenOf = (pid: number) => listProcesses().filter(({ parent }) => parent === pid);

test.for([
  ['import os; os._exit(7)', { code: 'kernel_exited' }],
  ['import os; os.kill(os.getpid(), 9)', { code: 'kernel_exited' }],
] as const)('a kernel outlives its zygote, and its end is seen all the same: %s', async ([code, cause]) => {
  await using open = await openKernel('python', { zygote: [] });
  await open.run('kept = 41');
  process.kill(parentOf(open.kernel.pid), 'SIGKILL');
  await until(
    'the end of the zygote',
    () => parentOf(open.kernel.pid) <= 1 || readProcess(parentOf(open.kernel.pid)) === null,
  );
  expect((await open.run('kept + 1')).shown).toBe('42');
  const { end } = await open.run(code);
  expect(end).toMatchObject({ status: 'died', cause: { ...cause, message: expect.stringContaining('not known') } });
});

test('a kernel that exits ends its step even if its zygote is stopped', async () => {
  await using open = await openKernel('python', { zygote: [] });
  const zygote = parentOf(open.kernel.pid);
  process.kill(zygote, 'SIGSTOP');
  const { end } = await open.run('import os; os._exit(7)');
  expect(end).toMatchObject({ status: 'died', cause: { code: 'kernel_exited' } });
});

test('a kernel starts by itself while the zygote is dead or does not answer, and a new zygote comes', async () => {
  const config = await kernelConfig();
  const zygote = await openZygote(config, []);
  try {
    await using first = await openKernel('python', { config: { zygote } });
    process.kill(parentOf(first.kernel.pid), 'SIGSTOP');
    await using second = await openKernel('python', { config: { zygote } });
    expect(parentOf(second.kernel.pid)).toBe(process.pid);
    expect((await second.run('1')).shown).toBe('1');
    await until('a new zygote', zygote.isWarm, 10_000);
    await using third = await openKernel('python', { config: { zygote } });
    expect(parentOf(third.kernel.pid)).not.toBe(process.pid);
    expect((await first.run('1')).shown).toBe('1');
  } finally {
    zygote.end();
  }
});

test('a fork in a session of its own that executes no program is killed after a crash too', async () => {
  await using open = await openKernel('python', { zygote: [] });
  const code = `import os, time
pid = os.fork()
if pid == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(60)
    os._exit(0)
os.waitpid(pid, 0)`;
  await open.run(code);
  const [orphan] = childrenOf(open.kernel.pid);
  expect(readProcess(orphan?.pid ?? 0)?.session).not.toBe(open.kernel.pid);
  await open.run('os.kill(os.getpid(), 9)');
  expect(readProcess(orphan?.pid ?? 0)).toBeNull();
});

test('the zygote accepts connections of the agent alone, and attempts of other processes do no harm', async () => {
  const config = await kernelConfig();
  const zygote = await openZygote(config, []);
  try {
    await using open = await openKernel('python', { config: { zygote } });
    await until('the reserve', zygote.isWarm);
    // The kernel's parent is its zygote; other zygotes may run on the same machine.
    const intruder = `import os, re, socket
folder = '/proc/%d/fd' % os.getppid()
inodes = re.findall(r'socket:\\[(\\d+)\\]', ' '.join(os.readlink(os.path.join(folder, fd)) for fd in os.listdir(folder)))
lines = [line.split() for line in open('/proc/net/unix') if '@holdfast-' in line and ' 00010000 ' in line]
name = [line[-1] for line in lines if line[6] in inodes]
held = []
for address in name:
    for number, fd in [(number, fd) for number in range(2, 6) for fd in (3, 4)]:
        held.append(socket.socket(socket.AF_UNIX))
        held[-1].connect('\\0' + address[1:])
        held[-1].send(bytes([0, 0, 0, number, fd]))
len(held) > 0`;
    expect((await open.run(intruder)).shown).toBe('True');
    // The reserve was forked before; the one after it meets the intruder's connections.
    for (let kernel = 0; kernel < 2; kernel++) {
      await using next = await openKernel('python', { config: { zygote } });
      expect(parentOf(next.kernel.pid)).not.toBe(process.pid);
      expect((await next.run('2')).shown).toBe('2');
    }
    const answers = `import select
def is_refused(one):
    try: return bool(select.select([one], [], [], 5)[0]) and one.recv(1) == b''
    except ConnectionError: return True
all(map(is_refused, held))`;
    expect((await open.run(answers)).shown).toBe('True');
  } finally {
    zygote.end();
  }
});

test('the zygote and its reserve die with the agent', async () => {
  const agent = fileURLToPath(new URL('../support/fixtures/agent-with-zygote.ts', import.meta.url));
  const parent = spawn(process.execPath, [agent], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(parent.stdout, 'data');
  const pids: number[] = JSON.parse(String(line));
  expect(pids).toHaveLength(3);
  for (const pid of pids) expect(readProcess(pid)).not.toBeNull();
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await until('the end of them all', () => pids.every((pid) => readProcess(pid) === null));
});

const hasNumpy = spawnSync((await kernelConfig()).python, ['-c', 'import numpy']).status === 0;

test.runIf(hasNumpy)(
  'numerical libraries work in a fork of the process that loaded them, with their threads',
  async () => {
    await using first = await openKernel('python', { zygote: ['numpy'] });
    const code = `import numpy as np
a = np.arange(640_000.0).reshape(800, 800)
b = a @ a
(bool(b[0, 0] == (a[0] * a[:, 0]).sum()), np.random.random() != np.random.random())`;
    expect((await first.run(code)).shown).toBe('(True, True)');
  },
);
