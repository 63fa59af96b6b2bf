import { afterAll, beforeAll, expect, test } from 'vitest';
import { shownBy } from './shown-by.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
const sessions: string[] = [];
beforeAll(async () => {
  on = await startOnEngine();
  for (const body of [{}, {}]) sessions.push((await on.holdfast.createSession(body)).id);
});
afterAll(() => on[Symbol.asyncDispose]());

const [first, second] = [() => sessions[0] ?? '', () => sessions[1] ?? ''];
const shown = (id: string, code: string) => shownBy(on.holdfast, { id, code });

test('code that takes more memory than 512 MiB is stopped with the cause, and its session goes on', async () => {
  const { id } = await on.holdfast.createSession();
  const step = await on.holdfast.runStep(id, {
    code: 'taken = bytearray(700 * 2**20)\nfor i in range(0, len(taken), 4096): taken[i] = 1',
  });
  expect(step).toMatchObject({ status: 'failed', cause: { code: 'oom_killed' } });
  expect(await shown(id, 'show("lives")')).toBe('lives');
  await on.holdfast.request('DELETE', `/v1/sessions/${id}`);
});

test('code gets most of its 512 MiB in one process, and no more in several together', async () => {
  const code = `
import os, signal
def taken(megabytes, children):
    started = []
    for _ in range(children):
        child = os.fork()
        if child == 0:
            block = bytearray(megabytes * 2**20)
            for i in range(0, len(block), 4096): block[i] = 1
            signal.pause()
        started.append(child)
    import time
    time.sleep(2)
    ended = [os.waitpid(child, os.WNOHANG) for child in started]
    for child, (pid, _) in zip(started, ended):
        if pid == 0: os.kill(child, signal.SIGKILL); os.waitpid(child, 0)
    return [os.WTERMSIG(status) for pid, status in ended if pid]
show({"one": taken(350, 1), "three": 9 in taken(200, 3)})`;
  expect(await shown(second(), code)).toEqual({ one: [], three: true });
});

test('code that forks without end gets no more than 128 processes, and another sandbox does not notice', async () => {
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
    time.sleep(20)
finally:
    for child in children: os.kill(child, signal.SIGKILL)
    for child in children: os.waitpid(child, 0)`;
  const texts: string[] = [];
  for await (const event of on.holdfast.streamStep(first(), { code: bomb })) {
    if (event.type !== 'stdout') continue;
    texts.push(event.text);
    const code = 'import subprocess\nshow([subprocess.run(["true"]).returncode for _ in range(20)])';
    expect(await shown(second(), code)).toEqual(Array.from({ length: 20 }, () => 0));
    await on.holdfast.request('POST', `/v1/sessions/${first()}/steps/${event.stepId}/interrupt`);
  }
  expect(texts.join('')).toBe('Resource temporarily unavailable True\n');
  expect(await shown(first(), 'show("lives")')).toBe('lives');
});

test('code on several threads of several processes gets half a core', async () => {
  const code = `
import os, time
started, children = time.monotonic(), []
for _ in range(3):
    child = os.fork()
    if child == 0:
        while time.monotonic() - started < 4: pass
        os._exit(0)
    children.append(child)
for child in children: os.waitpid(child, 0)
elapsed, used = time.monotonic() - started, os.times()
show((used.children_user + used.children_system) / elapsed)`;
  expect(await shown(second(), code)).toBeLessThan(0.65);
});
