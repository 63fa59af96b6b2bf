import { once } from 'node:events';
import { newId } from '@holdfast/specs/public';
import { describe, expect, test } from 'vitest';
import { all, readTo, report } from '../support/agent-client.ts';
import { processesOf, processesRunning } from '../support/processes-of.ts';
import { spawnAgent, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';

const loop = 'while True: pass';

describe('a fence', () => {
  test('ends running and queued steps, and lets nothing start', async () => {
    await using agent = await startAgent({ HOLDFAST_STOP_GRACE_MS: '5000' });
    await agent.run({ code: '1' });
    const running = await agent.open({ code: loop });
    await running.frames.next();
    const queued = await agent.open({ code: '1' });
    const fences = await Promise.all([agent.call('POST', '/v1/fence'), agent.call('POST', '/v1/fence')]);
    expect(fences.map(({ status }) => status)).toEqual([204, 204]);
    const states = (await agent.call('GET', '/v1/steps')).body.steps.map((step: { state: string }) => step.state);
    expect(new Set(states)).toEqual(new Set(['finished']));
    for (const { stepId, frames } of [running, queued]) {
      const { done } = report(stepId, await all(frames));
      expect(done).toMatchObject({ status: 'interrupted', cause: { code: 'session_ended' }, stateSurvived: true });
    }
    const late = { stepId: newId('stp'), contextId: 'python', code: '1', timeoutMs: 1000, queue: 'wait' };
    expect(await agent.call('POST', '/v1/steps', late)).toMatchObject({ status: 410, body: { code: 'session-ended' } });
    const context = { contextId: newId('ctx'), language: 'python' };
    expect(await agent.call('POST', '/v1/contexts', context)).toMatchObject({ status: 410 });
    expect((await agent.call('POST', '/v1/contexts/python/restart')).status).toBe(410);
    expect((await agent.call('GET', '/v1/session')).body.fenced).toBe(true);
  });

  test('kills code that ignores it, and starts no kernel in its place', async () => {
    await using agent = await startAgent({ HOLDFAST_STOP_GRACE_MS: '200' });
    const ignoring = 'import signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK, [2])';
    const code = `${ignoring}\nprint("ready", flush=True)\nwhile True: time.sleep(1)`;
    const { frames, stepId } = await agent.open({ code });
    await readTo(frames, 'stdout');
    expect((await agent.call('POST', '/v1/fence')).status).toBe(204);
    const { done } = report(stepId, await all(await agent.attach(stepId)));
    expect(done).toMatchObject({ status: 'interrupted', cause: { code: 'session_ended' }, stateSurvived: false });
    expect((await agent.call('GET', '/v1/contexts')).body.contexts).toMatchObject([{ state: 'dead' }]);
    expect(processesOf(agent.uid)).toEqual([agent.pid]);
  });
});

describe('the agent ends with all its processes', () => {
  test.for(['SIGTERM', 'SIGINT'] as const)(
    'within two seconds of %s, and readers get the end of their step',
    async (signal) => {
      await using agent = await startAgent();
      await agent.run({ code: '1', contextId: 'node' });
      const { stepId, frames } = await agent.open({ code: loop });
      await readTo(frames, 'started');
      expect(processesOf(agent.uid).length).toBeGreaterThan(2);
      const startedAt = performance.now();
      agent.signal(signal);
      agent.signal(signal);
      expect(report(stepId, await all(frames)).done).toMatchObject({
        status: 'interrupted',
        cause: { code: 'session_ended' },
      });
      expect(await agent.exited).toEqual({ code: 0, signal: null });
      expect(performance.now() - startedAt).toBeLessThan(2000);
      expect(processesOf(agent.uid)).toEqual([]);
    },
  );

  test('including one that has left its parent, its session and its environment, as does a deleted context', async () => {
    await using agent = await startAgent();
    const other = await agent.call('POST', '/v1/contexts', { contextId: newId('ctx'), language: 'node' });
    const seconds = [80_000, 81_000].map((from) => from + Math.floor(Math.random() * 999));
    const sleeping = () => seconds.map((each) => processesRunning(['sleep', String(each)]));
    const args = seconds.map((each) => JSON.stringify(['-i', 'setsid', 'sh', '-c', `sleep ${each} & exit`]));
    await agent.run({ code: `import subprocess; subprocess.run(["env", *${args[0]}])` });
    const code = `require('node:child_process').spawnSync('env', ${args[1]}, { stdio: 'ignore' })`;
    await agent.run({ code, contextId: other.body.contextId });
    await until('both to run', () => String(sleeping()) === '1,1');
    expect((await agent.call('DELETE', `/v1/contexts/${other.body.contextId}`)).status).toBe(204);
    expect(sleeping()).toEqual([1, 0]);
    agent.signal('SIGTERM');
    await agent.exited;
    expect(sleeping()).toEqual([0, 0]);
  });

  test('when it is killed while kernels are busy', async () => {
    await using agent = await startAgent();
    await agent.run({ code: '1' });
    await agent.run({ code: '1', contextId: 'node' });
    await agent.open({ code: loop });
    await agent.open({ code: 'while (true) {}', contextId: 'node' });
    agent.signal('SIGKILL');
    await agent.exited;
    await until('the kernels to be gone', () => processesOf(agent.uid).length === 0, 3000);
  });

  test('when no request with a token comes for the lease, even if code runs or requests without a token come', async () => {
    await using agent = await startAgent({ HOLDFAST_AGENT_LEASE_SECONDS: '1' });
    const { frames } = await agent.open({ code: loop });
    await frames.next();
    const startedAt = performance.now();
    const pester = setInterval(() => void fetch(`${agent.url}/healthz`).catch(() => {}), 100);
    await agent.exited;
    clearInterval(pester);
    const aliveMs = performance.now() - startedAt;
    expect(aliveMs).toBeGreaterThan(800);
    expect(aliveMs).toBeLessThan(3500);
  });

  test('when it is not claimed within the limit for an unbound agent', async () => {
    await using agent = await startAgent({ HOLDFAST_AGENT_UNBOUND_SECONDS: '1' });
    const startedAt = performance.now();
    expect(await agent.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test('when its data-plane goes after it was claimed, even if the limit for an unbound agent is longer', async () => {
    const env = { HOLDFAST_AGENT_LEASE_SECONDS: '1', HOLDFAST_AGENT_UNBOUND_SECONDS: '3600' };
    await using agent = await startAgent(env);
    await agent.run({ code: '1' });
    const startedAt = performance.now();
    await agent.exited;
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test('and a request with a token renews the lease', async () => {
    await using agent = await startAgent({ HOLDFAST_AGENT_LEASE_SECONDS: '1' });
    const startedAt = performance.now();
    await until('more than a lease to pass', async () => {
      expect((await agent.call('GET', '/v1/session')).status).toBe(200);
      return performance.now() - startedAt > 1500;
    });
  });
});

test('does not start with an invalid configuration, and names all its faults', async () => {
  const child = spawnAgent({
    HOLDFAST_AGENT_PORT: 'x',
    HOLDFAST_WORKSPACE: 'relative',
    HOLDFAST_AGENT_TOKEN_KEYS: '{',
  });
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  const [code] = await once(child, 'close');
  expect(code).toBe(78);
  for (const name of ['SANDBOX_UID', 'AGENT_PORT', 'WORKSPACE', 'AGENT_TOKEN_KEYS', 'AGENT_ISSUER']) {
    expect(log).toContain(`HOLDFAST_${name} `);
  }
});
