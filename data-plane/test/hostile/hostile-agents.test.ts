import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Exit, runAgent, type StartContainer } from '../fake-kubernetes/kubelet/start-container.ts';
import { startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';
import { stepAttacks } from './attacks.ts';

/** Each half is one replica; the second one takes over from the first, which is killed. */
const seconds = Number(process.env.HOLDFAST_TEST_SECONDS ?? 20);
const isLong = seconds >= 120;
const attackersAtOnce = 3;
const stepsAtOnce = 6;

const program = fileURLToPath(new URL('./hostile-agent-program.ts', import.meta.url));

const runHostileAgent: StartContainer = ({ uid, env }) => {
  // The processors are the replica's and the other tenant's as well, as they are not in a cluster: an agent takes what these leave.
  const command = ['--pdeathsig', 'KILL', '--', 'nice', '-n', '19', process.execPath, program];
  const child = spawn('setpriv', command, { env: { ...env, HOLDFAST_SANDBOX_UID: uid }, stdio: 'ignore' });
  const exited = once(child, 'exit').then(([code]): Exit => ({ code: code ?? 137, output: '' }));
  return { signal: () => child.kill('SIGKILL'), exited };
};

test(
  'agents that send as much as they can on every path hurt neither the replica nor another tenant',
  async () => {
    let isHostile = false;
    const fake = await startFakeKubernetes({
      startContainer: (start) => (isHostile ? runHostileAgent(start) : runAgent(start)),
    });
    const database = await createTestDatabase();
    const env = { DATABASE_URL: database.url, HOLDFAST_STEP_GRACE_SECONDS: '2' };
    let replica = await startReplicaOnKubernetes(fake, env);
    const replicas = [replica];
    /** Answers that fail do not count from the moment at which the replica is killed until the next one serves. */
    let isDown = false;
    const stop = new AbortController();
    const { signal } = stop;
    const seen = {
      unready: [] as unknown[],
      victimFaults: [] as unknown[],
      attacks: 0,
      ended: new Map<string, number>(),
    };
    const peaks: number[] = [];
    const lags: number[] = [];

    const { id: victim } = await replica.createSession();
    const victimSteps = async (until: () => boolean) => {
      const latencies: number[] = [];
      while (!until()) {
        const at = performance.now();
        const by = replica;
        const step = await by.runStep(victim, { code: '1 + 1' }).catch((error) => error);
        if (step.status === 'succeeded') latencies.push(performance.now() - at);
        else if (by === replica && !isDown) seen.victimFaults.push(step);
        await delay(20);
      }
      return latencies;
    };
    const until = (ms: number) => {
      const end = performance.now() + ms;
      return () => performance.now() > end;
    };

    const monitor = async () => {
      while (!signal.aborted) {
        const { url, pid } = replica;
        try {
          const { status } = await fetch(`${url}/readyz`);
          if (status !== 200) seen.unready.push(status);
          peaks.push(peakMiB(pid));
          lags.push(lagMs(await (await fetch(`${url}/metrics`)).text()));
        } catch (error) {
          if (url === replica.url && !isDown) seen.unready.push(error);
        }
        await delay(250);
      }
    };

    const names = Object.keys(stepAttacks);
    const attack = async () => {
      while (!signal.aborted) {
        try {
          const by = replica;
          const { id } = await by.createSession();
          const steps = Array.from({ length: stepsAtOnce }, () => {
            const name = names[seen.attacks++ % names.length] as string;
            return by.runStep(id, { code: name, timeoutSeconds: 10 }).then(({ cause }) => {
              const end = `${name}: ${cause?.code} ${cause?.message ?? ''}`;
              seen.ended.set(end, (seen.ended.get(end) ?? 0) + 1);
            });
          });
          const questions = [
            'context',
            'contexts',
            'files?depth=9',
            'files/a',
            'archive?format=tar',
            'contexts/python/background',
            'artifacts',
          ];
          const asked = questions.map((path) => by.request('GET', `/v1/sessions/${id}/${path}`));
          const told = ['complete', 'inspect'].map((verb) =>
            by.request('POST', `/v1/sessions/${id}/contexts/python/${verb}`, { code: 'a', cursor: 1 }),
          );
          const job = { sessionId: id, language: 'bash', code: 'true', timeoutSeconds: 3 };
          const ran = [by.request('POST', '/v1/run', job), by.request('POST', '/v1/run', job)];
          const answers = Promise.allSettled([...asked, ...told, ...ran]);
          await Promise.allSettled(steps);
          // Some of the other answers never end by themselves.
          await by.request('DELETE', `/v1/sessions/${id}`);
          await answers;
        } catch {
          await delay(200);
        }
      }
    };

    try {
      await replica.runStep(victim, { code: '1' });
      const before = await victimSteps(until(Math.min(seconds, 30) * 100));
      isHostile = true;
      const work = [monitor(), ...Array.from({ length: attackersAtOnce }, attack)];
      const half = until(seconds * 500);
      const during = await victimSteps(half);
      isDown = true;
      await replica.kill();
      replica = await startReplicaOnKubernetes(fake, env);
      replicas.push(replica);
      isDown = false;
      const after = await victimSteps(until(seconds * 500));
      const isExcessive = (end: string) => end.includes('too_much_output');
      await eventually(() => {
        expect(seen.attacks).toBeGreaterThanOrEqual(names.length);
        expect([...seen.ended.keys()].filter(isExcessive)).not.toEqual([]);
      }, 120_000);
      stop.abort();
      await Promise.all(work);
      await eventually(async () => expect(await unfinished()).toBe(0), 60_000);
      const figures = {
        medianMs: [before, during, after].map(median),
        p90Ms: [before, during, after].map((values) => quantile(values, 0.9)),
        steps: [before, during, after].map(({ length }) => length),
        peakMiB: Math.max(...peaks),
        lagMs: { median: median(lags), max: Math.max(...lags) },
        attacks: seen.attacks,
        ended: Object.fromEntries(seen.ended),
      };
      console.log(figures);
      expect(seen.unready).toEqual([]);
      expect(seen.victimFaults).toEqual([]);
      expect(figures.peakMiB).toBeLessThan(512);
      const slower = Math.max(median(during), median(after)) / median(before);
      expect(slower).toBeLessThan(isLong ? 3 : Number.POSITIVE_INFINITY);
    } finally {
      stop.abort();
      for (const one of replicas) await one[Symbol.asyncDispose]();
      await database.drop();
      await fake.close();
    }

    async function unfinished(): Promise<number> {
      const [row] = await database.db.sql<
        { n: number }[]
      >`select count(*)::int as n from steps where finished_at is null`;
      return row?.n ?? 0;
    }
  },
  (seconds + 300) * 1000,
);

/** The most memory that the process has had at once. */
const peakMiB = (pid: number) =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** The longest that the event loop was occupied since the last time. */
const lagMs = (metrics: string) => Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics)?.[1]) * 1000;

const quantile = (values: readonly number[], part: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * part)] ?? 0;
const median = (values: readonly number[]) => quantile(values, 0.5);
