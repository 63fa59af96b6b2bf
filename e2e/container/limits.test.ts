import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAndShow } from './run-and-show.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
const sessions: string[] = [];
beforeAll(async () => {
  on = await startOnEngine();
  for (const body of [{}, {}]) sessions.push((await on.holdfast.createSession(body)).id);
});
afterAll(() => on[Symbol.asyncDispose]());

const [first, second] = [() => sessions[0] ?? '', () => sessions[1] ?? ''];
const shown = (id: string, code: string) => runAndShow(on.holdfast, { id, code });

test('code that takes more than 512 MiB of memory is stopped with the cause, and its session goes on', async () => {
  const { id } = await on.holdfast.createSession();
  const step = await on.holdfast.runStep(id, {
    code: 'taken = bytearray(700 * 2**20)\nfor i in range(0, len(taken), 4096): taken[i] = 1',
  });
  expect(step).toMatchObject({ status: 'failed', cause: { code: 'oom_killed' } });
  expect(await shown(id, 'show("lives")')).toBe('lives');
  await on.holdfast.request('DELETE', `/v1/sessions/${id}`);
});

test('code gets most of its 512 MiB in one process, and no more in several together', async () => {
  // A child reports when it has filled its memory. SIGTERM ends the children that the kernel has left alive.
  const code = `
import os, signal
def ends(megabytes, children):
    started = []
    for _ in range(children):
        filled, report = os.pipe()
        child = os.fork()
        if child == 0:
            block = bytearray(megabytes * 2**20)
            for i in range(0, len(block), 4096): block[i] = 1
            os.write(report, b"x")
            while True: signal.pause()
        os.close(report)
        started.append((child, filled))
    for _, filled in started:
        os.read(filled, 1)
        os.close(filled)
    for child, _ in started: os.kill(child, signal.SIGTERM)
    return [os.WTERMSIG(os.waitpid(child, 0)[1]) for child, _ in started]
show({"one": ends(350, 1), "three": signal.SIGKILL in ends(200, 3)})`;
  const terminated = 15;
  expect(await shown(second(), code)).toEqual({ one: [terminated], three: true });
});

test('code that forks endlessly gets at most 128 processes, and another sandbox is not affected', async () => {
  const bomb = `
import os, signal, time
children = []
failed = None
try:
    for _ in range(1000):
        child = os.fork()
        if child == 0: time.sleep(300); os._exit(0)
        children.append(child)
except OSError as error:
    failed = error.strerror
print(failed, 64 < len(children) < 128, flush=True)
try:
    time.sleep(300)
finally:
    for child in children: os.kill(child, signal.SIGKILL)
    for child in children: os.waitpid(child, 0)`;
  const texts: string[] = [];
  const neighbours: unknown[] = [];
  for await (const event of on.holdfast.streamStep(first(), { code: bomb })) {
    if (event.type !== 'stdout') continue;
    texts.push(event.text);
    const code = 'import subprocess\nshow([subprocess.run(["true"]).returncode for _ in range(20)])';
    neighbours.push(await shown(second(), code));
    await on.holdfast.request('POST', `/v1/sessions/${first()}/steps/${event.stepId}/interrupt`);
  }
  expect(texts.join('')).toBe('Resource temporarily unavailable True\n');
  expect(neighbours[0]).toEqual(Array.from({ length: 20 }, () => 0));
  expect(await shown(first(), 'show("lives")')).toBe('lives');
});

test('the kernel limits code in several processes to half a core', async () => {
  // Reads the quota from either version of cgroups, then loads the processors until the kernel has throttled the container.
  const code = `
import os, signal, time
def read(name):
    for folder in ("/sys/fs/cgroup", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"):
        try:
            with open(os.path.join(folder, name)) as file: return file.read()
        except FileNotFoundError: pass
def quota():
    text = read("cpu.max") or f'{read("cpu.cfs_quota_us")} {read("cpu.cfs_period_us")}'
    of_period, period = map(int, text.split())
    return of_period / period
def throttled():
    return int(dict(line.split() for line in read("cpu.stat").splitlines())["nr_throttled"])
children, before = [], throttled()
for _ in range(3):
    child = os.fork()
    if child == 0:
        while True: pass
    children.append(child)
try:
    while throttled() == before: time.sleep(0.05)
finally:
    for child in children: os.kill(child, signal.SIGKILL)
    for child in children: os.waitpid(child, 0)
show({"cores": quota(), "throttled": throttled() > before})`;
  expect(await shown(second(), code)).toEqual({ cores: 0.5, throttled: true });
});
