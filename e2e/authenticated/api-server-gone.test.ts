import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { kubectl } from '../cluster/kubectl.ts';
import { replicaPods, restartsOf, sandboxPods } from '../cluster/pods.ts';

const outageSeconds = 60;

/** The test stops the API server for all users of the cluster, which must run on this machine. */
const isWanted = process.env.HOLDFAST_E2E_APISERVER === '1';

let holdfast: Holdfast;
beforeAll(async () => {
  if (!isWanted) return;
  holdfast = await installHoldfast();
  return holdfast.close;
});

test.runIf(isWanted)(
  `while the API server is gone for ${outageSeconds} s, running sessions go on and creations say when to try again; afterwards everything converges`,
  { timeout: 300_000 },
  async () => {
    const before = await replicaPods();
    const kept = await holdfast.createSession();
    const ended = await holdfast.createSession();
    await holdfast.runStep(kept.id, { code: 'n = 0' });
    const outage = stopApiServer();
    await expect(kubectl(['get', '--raw', '/version', '--request-timeout=2s'])).rejects.toThrow();

    const [steps, creations, deletion] = await Promise.all([
      repeatedly(outage.over, () => holdfast.runStep(kept.id, { code: 'n += 1; print(n)' })),
      repeatedly(outage.over, () => holdfast.request('POST', '/v1/sessions', {})),
      holdfast.request('DELETE', `/v1/sessions/${ended.id}`),
    ]);
    expect(deletion.status).toBe(202);
    expect(steps.length).toBeGreaterThan(1);
    expect(steps.map(({ stdout }) => stdout)).toEqual(steps.map((_, i) => `${i + 1}\n`));
    // The last creation may have reached the API server again.
    const during = creations.slice(0, -1);
    expect(during.length).toBeGreaterThan(0);
    expect(during.map(({ status }) => status)).toEqual(during.map(() => 503));
    expect(during.map(({ headers }) => /^\d+$/.test(headers.get('retry-after') ?? ''))).toEqual(during.map(() => true));

    const later = await eventually(() => holdfast.createSession(), 30_000);
    expect(await holdfast.runStep(later.id, { code: 'print("here")' })).toMatchObject({ stdout: 'here\n' });
    const late = creations.filter(({ status }) => status === 201).map(({ body }) => body as { id: string });
    const all = [kept, later, ...late];
    await Promise.all(all.map(({ id }) => holdfast.request('DELETE', `/v1/sessions/${id}`)));
    await eventually(async () => expect(await sandboxPods()).toEqual([]), 60_000);
    const uidAndRestarts = (pods: typeof before) => pods.map((one) => `${one.metadata.uid} ${restartsOf(one)}`).sort();
    expect(uidAndRestarts(await replicaPods())).toEqual(uidAndRestarts(before));
  },
);

/** Suspends the API server. Another process resumes it, even if this one ends. */
function stopApiServer() {
  const pid = readdirSync('/proc').find((entry) => /^\d+$/.test(entry) && programOf(entry) === 'kube-apiserver');
  if (!pid) throw new Error('kube-apiserver does not run on this machine');
  process.kill(Number(pid), 'SIGSTOP');
  const resume = spawn('sh', ['-c', `sleep ${outageSeconds}; kill -CONT ${pid}`], { detached: true, stdio: 'ignore' });
  return { over: new Promise((resolve) => resume.once('exit', resolve)) };
}

function programOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

async function repeatedly<T>(over: Promise<unknown>, act: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let isOver = false;
  over.then(() => {
    isOver = true;
  });
  while (!isOver) results.push(await act());
  return results;
}
