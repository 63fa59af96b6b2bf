import { beforeAll, expect, test } from 'vitest';
import { agentSeenByCode } from '../agent-seen-by-code.ts';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';

let holdfast: Holdfast;
const sessions: string[] = [];
beforeAll(async () => {
  holdfast = await installHoldfast();
  return holdfast.close;
});
beforeAll(async () => {
  for (const { id } of await Promise.all([1, 2].map(() => holdfast.createSession()))) sessions.push(id);
  return async () => {
    await Promise.all(sessions.map((id) => holdfast.request('DELETE', `/v1/sessions/${id}`)));
  };
});

test('code has no token of a service account, and finds no secret of the data-plane in any environment', async () => {
  const seen = await shown(
    sessions[0],
    `
import glob, os
tokens = glob.glob("/var/run/secrets/**", recursive=True) + glob.glob("/run/secrets/**", recursive=True)
paths = [path for path in glob.glob("/proc/[0-9]*/environ") if os.access(path, os.R_OK)]
environments = [open(path, errors="replace").read() for path in paths]
words = ("DATABASE_URL", "POSTGRES", "HOLDFAST_SIGNING_KEY", "HOLDFAST_ENCRYPTION_KEY", "API_KEY", "HOLDFAST_PORT")
found = [word for word in words if any(word in text for text in environments)]
show({"tokens": tokens, "words": found, "read": len(environments) > 1})`,
  );
  expect(seen).toEqual({ tokens: [], words: [], read: true });
});

test("code cannot reach the agent's memory, and opens no debugger in it", async () => {
  const seen = await shown(sessions[0], agentSeenByCode);
  expect(seen).toEqual({ agents: 1, readable: [], catchesDebuggerSignal: false });
});

test('code can write only to its own volumes', async () => {
  const seen = await shown(
    sessions[0],
    `
import os
def writes(folder):
    try:
        with open(os.path.join(folder, "mine"), "w") as file: file.write("x")
        return True
    except OSError:
        return False
folders = ["/", "/etc", "/opt", "/root", "/usr/local", "/var", "/var/tmp", "/workspace", "/tmp"]
show([folder for folder in folders if writes(folder)])`,
  );
  expect(seen).toEqual(['/workspace', '/tmp']);
});

test('code runs as a user of its own, without capabilities, without new privileges, behind seccomp', async () => {
  const code = `
import os
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
names = ["CapEff", "CapPrm", "CapBnd", "NoNewPrivs", "Seccomp"]
show({"uid": os.getuid(), "gid": os.getgid(), "status": [status[name].strip() for name in names]})`;
  type Own = { uid: number; gid: number; status: string[] };
  const [first, second] = (await Promise.all(sessions.map((id) => shown(id, code)))) as [Own, Own];
  const none = '0000000000000000';
  expect(first.status).toEqual([none, none, none, '1', '2']);
  expect(first.uid).toBeGreaterThanOrEqual(1_000_000);
  expect(first.gid).toBe(first.uid);
  expect(second.uid).not.toBe(first.uid);
});

test('code that forks endlessly gets at most 128 processes, and another sandbox is not affected', async () => {
  const bomb = `
import os, signal, time
children = []
try:
    for _ in range(1000):
        child = os.fork()
        if child == 0: time.sleep(300); os._exit(0)
        children.append(child)
except OSError as error:
    print(error.strerror, 64 < len(children) < 128, flush=True)
try:
    time.sleep(300)
finally:
    for child in children: os.kill(child, signal.SIGKILL)
    for child in children: os.waitpid(child, 0)`;
  const [bombed = '', neighbour] = sessions;
  const texts: string[] = [];
  const neighbours: unknown[] = [];
  for await (const event of holdfast.streamStep(bombed, { code: bomb })) {
    if (event.type !== 'stdout') continue;
    texts.push(event.text);
    const code = 'import subprocess\nshow([subprocess.run(["true"]).returncode for _ in range(20)])';
    neighbours.push(await shown(neighbour, code));
    await holdfast.request('POST', `/v1/sessions/${bombed}/steps/${event.stepId}/interrupt`);
  }
  expect(texts.join('')).toBe('Resource temporarily unavailable True\n');
  expect(neighbours[0]).toEqual(Array.from({ length: 20 }, () => 0));
  expect(await shown(bombed, 'show("lives")')).toBe('lives');
});

/** Runs Python and returns the value that it passes to `show`. */
async function shown(sessionId: string | undefined, code: string): Promise<unknown> {
  const step = await holdfast.runStep(sessionId ?? '', {
    code: `import json\nshow = lambda value: print(json.dumps(value))\n${code}`,
  });
  if (step.status !== 'succeeded') throw new Error(JSON.stringify(step.error ?? step.cause));
  return JSON.parse(step.stdout);
}
