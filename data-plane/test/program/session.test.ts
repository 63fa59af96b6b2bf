import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StepEvent } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type Holdfast, nothingRunsIn } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;
let sessionId: string;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  sessionId = (await holdfast.createSession()).id;
});

afterAll(() => installation[Symbol.asyncDispose]());

const run = (code: string, more = {}) => holdfast.runStep(sessionId, { code, ...more });
const shown = async (code: string, more = {}) => (await run(code, more)).results[0]?.data['text/plain'];

describe('changes of a session', () => {
  test('a patch beyond the bounds says which, and changes nothing', async () => {
    const { id } = await holdfast.createSession({ metadata: { kept: 'yes' } });
    const patch = (body: unknown) => holdfast.request('PATCH', `/v1/sessions/${id}`, body);
    const many = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`key${index}`, 'x']));
    for (const [body, pointer] of [
      [{ metadata: many }, '/metadata'],
      [{ expiresInSeconds: 604_801 }, '/expiresInSeconds'],
      [{ expiresInSeconds: 60, timeoutSeconds: 60 }, '/expiresInSeconds'],
    ] as const) {
      const { status, body: answer } = await patch(body);
      expect([status, answer.errors[0].pointer]).toEqual([400, pointer]);
    }
    const { body: session } = await patch({ metadata: { more: 'x', kept: null }, expiresInSeconds: 600 });
    expect(session.metadata).toEqual({ more: 'x' });
    const secondsLeft = (Date.parse(session.expiresAt) - Date.parse(session.updatedAt)) / 1000;
    expect(Math.abs(secondsLeft - 600)).toBeLessThan(2);
  });
});

test('a brief stream tells the end without the output that it has told already, also of a long step', async () => {
  const { id } = await holdfast.createSession();
  const eventsOf = async (path: string, init?: RequestInit) => {
    const headers = { accept: 'application/x-ndjson', 'content-type': 'application/json' };
    const answer = await fetch(`${holdfast.url}/v1/sessions/${id}/${path}`, { ...init, headers });
    return (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as StepEvent);
  };
  for (const characters of [3, 3_000_000]) {
    const body = JSON.stringify({ code: `print('x' * ${characters}); 'shown'` });
    const first = await eventsOf('steps?brief=true', { method: 'POST', body });
    const { step } = first.at(-1) as Extract<StepEvent, { type: 'finished' }>;
    expect(step).toMatchObject({ status: 'succeeded', stdout: '', stderr: '', results: [], truncated: false });
    const replayed = await eventsOf(`steps/${step.id}/events?brief=true`);
    for (const events of [first, replayed]) {
      const texts = events.map((event) => (event.type === 'stdout' ? event.text : ''));
      expect(texts.join('')).toBe(`${'x'.repeat(characters)}\n`);
      expect(events.at(-1)).toEqual({ ...first.at(-1), step: { ...step } });
    }
    const whole = (await eventsOf(`steps/${step.id}/events`)).at(-1) as Extract<StepEvent, { type: 'finished' }>;
    expect([whole.step.stdout.length, whole.step.results.length]).toEqual([characters + 1, 1]);
  }
});

describe('state', () => {
  test('a step uses the definitions of the one before, in Python and in JavaScript', async () => {
    expect((await run('x = 41')).status).toBe('succeeded');
    expect(await shown('x + 1')).toBe('42');
    await run('const y: number = await Promise.resolve(41)', { language: 'node' });
    expect(await shown('y + 1', { language: 'node' })).toBe('42');
    expect(await shown('import asyncio\nawait asyncio.sleep(0, "awaited")')).toBe("'awaited'");
  });

  test('contexts of a session do not see each other, nor do sessions', async () => {
    const made = await holdfast.request('POST', `/v1/sessions/${sessionId}/contexts`, { language: 'python' });
    expect(made.status).toBe(201);
    const other = await holdfast.createSession();
    await run('secret = 1');
    const inContext = await run('secret', { contextId: made.body.id });
    const inSession = await holdfast.runStep(other.id, { code: 'secret' });
    expect([inContext.error?.name, inSession.error?.name]).toEqual(['NameError', 'NameError']);
    expect(inContext.language).toBe('python');
    await holdfast.request('DELETE', `/v1/sessions/${other.id}`);
  });

  test("the session's context has the code so far, and the step and actor that defined each name", async () => {
    const { id } = await holdfast.createSession();
    const step = await holdfast.runStep(id, { code: 'answer = 42', actor: 'user' });
    await holdfast.runStep(id, { code: '1/0' });
    await holdfast.runStep(id, { code: 'def double(n): return 2 * n' });
    const { body } = await holdfast.request('GET', `/v1/sessions/${id}/context`);
    const combinedCode = 'answer = 42\n\ndef double(n): return 2 * n';
    expect(body.contexts).toEqual([{ contextId: 'python', language: 'python', listsSymbols: true, combinedCode }]);
    expect(body.symbols.find((symbol: { name: string }) => symbol.name === 'answer')).toMatchObject({
      kind: 'variable',
      type: 'int',
      preview: '42',
      stepId: step.id,
      actor: 'user',
      contextId: 'python',
    });
    await holdfast.request('DELETE', `/v1/sessions/${id}`);
  });

  test('fifty steps sent at once to one context finish in order, each with its own output', async () => {
    await run('order = []');
    const steps = await Promise.all(
      Array.from({ length: 50 }, (_, i) => run(`order.append(${i}); print("step", ${i}); ${i}`)),
    );
    expect(steps.map((step) => step.stdout)).toEqual(steps.map((_, i) => `step ${i}\n`));
    const byNumber = [...steps].sort((a, b) => (a.number ?? 0) - (b.number ?? 0));
    const counts = byNumber.map((step) => step.executionCount ?? 0);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    const ran = JSON.parse(String(await shown('order')));
    expect(ran).toEqual(byNumber.map((step) => Number(step.results[0]?.data['text/plain'])));
  });
});

test('the history says which unfinished step runs and which ones wait', async () => {
  const { id } = await holdfast.createSession();
  const running = holdfast.runStep(id, { code: 'import time; print("so far", flush=True); time.sleep(1.5)' });
  await eventually(async () => expect(await holdfast.history(id)).toHaveLength(1));
  const waiting = holdfast.runStep(id, { code: '1' }, { 'idempotency-key': 'waits' });
  await eventually(async () => {
    const [first, second] = await holdfast.history(id);
    expect(first).toMatchObject({
      status: 'running',
      stdout: 'so far\n',
      startedAt: expect.any(String),
      finishedAt: null,
    });
    expect(second).toMatchObject({ status: 'queued', startedAt: null });
  });
  await Promise.all([running, waiting]);
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
});

describe('streaming', () => {
  test.each(['application/x-ndjson', 'text/event-stream'])(
    'output arrives while the code runs, as %s',
    async (accept) => {
      const seen = join(installation.dataDir, `seen-${accept.replace('/', '-')}`);
      const untilSeen = `while not os.path.exists(${JSON.stringify(seen)}): time.sleep(0.01)`;
      const response = await fetch(`${holdfast.url}/v1/sessions/${sessionId}/steps`, {
        method: 'POST',
        headers: { accept, 'content-type': 'application/json' },
        body: JSON.stringify({ code: `import os, time\nprint("a")\n${untilSeen}\nprint("b")`, timeoutSeconds: 20 }),
      });
      expect(response.headers.get('content-type')).toContain(accept);
      let text = '';
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(chunk).toString();
        // The code continues only after its earlier output has arrived.
        if (text.includes('"text":"a\\n"')) await writeFile(seen, '');
      }
      expect(text).toMatch(/"text":"a\\n".*"text":"b\\n".*"type":"finished".*"status":"succeeded"/s);
    },
  );

  test('the events of a finished step replay exactly as they came, from any position', async () => {
    const live: StepEvent[] = [];
    for await (const event of holdfast.streamStep(sessionId, { code: 'print("one")\nprint("two")\n3' }))
      live.push(event);
    const stepId = live[0]?.stepId ?? '';
    const replay = async (after: number) => {
      const events: StepEvent[] = [];
      for await (const event of holdfast.followStep(sessionId, stepId, after)) events.push(event);
      return events;
    };
    expect(live.map((event) => event.seq)).toEqual(live.map((_, i) => i + 1));
    expect(live.at(-1)?.type).toBe('finished');
    expect(await replay(0)).toEqual(live);
    expect(await replay(2)).toEqual(live.slice(2));
  });

  test('a second reader that joins a running step sees it from its beginning to its end', async () => {
    const stream = holdfast.streamStep(sessionId, {
      code: 'import time\nprint("early", flush=True); time.sleep(0.5); print("late")',
    });
    const first = (await stream.next()).value as StepEvent;
    const types: string[] = [];
    for await (const event of holdfast.followStep(sessionId, first.stepId)) types.push(event.type);
    expect(types[0]).toBe('started');
    expect(types.filter((type) => type === 'stdout')).toHaveLength(2);
    expect(types.at(-1)).toBe('finished');
    for await (const _ of stream);
  });
});

describe('stopping', () => {
  test('an endless loop ends as timed_out, and the next step works', async () => {
    await run('kept = "kept"');
    const step = await run('while True: pass', { timeoutSeconds: 1 });
    expect(step).toMatchObject({
      status: 'timed_out',
      outcome: { tag: 'error', stateSurvived: true },
      cause: { code: 'timeout' },
    });
    expect(await shown('kept')).toBe("'kept'");
  });

  test('a second client interrupts a running step, and the next step works', async () => {
    const stream = holdfast.streamStep(sessionId, { language: 'node', code: 'while (true) {}' });
    const { stepId } = (await stream.next()).value as StepEvent;
    const answer = await holdfast.request('POST', `/v1/sessions/${sessionId}/steps/${stepId}/interrupt`);
    expect(answer.status).toBe(202);
    let last: StepEvent | undefined;
    for await (const event of stream) last = event;
    expect(last).toMatchObject({
      type: 'finished',
      step: { status: 'interrupted', cause: { code: 'interrupt' }, outcome: { stateSurvived: true } },
    });
    expect(await shown('1 + 1', { language: 'node' })).toBe('2');
  });

  test('code that ignores the interrupt loses its kernel, and the step says so', async () => {
    const { id } = await holdfast.createSession();
    const code = 'import signal\ngone = signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass';
    const events: StepEvent[] = [];
    for await (const event of holdfast.streamStep(id, { code, timeoutSeconds: 0.2 })) events.push(event);
    expect(events.find((event) => event.type === 'state_reset')).toMatchObject({ contextEpoch: 2, lost: ['*'] });
    expect(events.at(-1)).toMatchObject({
      step: { status: 'timed_out', outcome: { stateSurvived: false }, contextEpoch: 1 },
    });
    expect(await holdfast.runStep(id, { code: 'gone' })).toMatchObject({
      error: { name: 'NameError' },
      contextEpoch: 2,
    });
    const refused = await holdfast.request('POST', `/v1/sessions/${id}/steps`, { code: '1', ifContextEpoch: 1 });
    expect([refused.status, refused.body.code]).toEqual([409, 'state-reset']);
    await holdfast.request('DELETE', `/v1/sessions/${id}`);
  });

  test('a killed session-agent fails its session with the cause, its running step is lost, later ones get 410', async () => {
    const { id } = await holdfast.createSession();
    const stream = holdfast.streamStep(id, {
      code: 'import os, time\nprint(os.getppid(), flush=True); time.sleep(60)',
    });
    let pid = 0;
    let last: StepEvent | undefined;
    for await (const event of stream) {
      if (event.type === 'stdout') {
        pid = Number(event.text);
        process.kill(pid, 'SIGKILL');
      }
      last = event;
    }
    expect(last).toMatchObject({ type: 'finished', step: { status: 'lost', cause: { code: 'sandbox_exited' } } });
    const session = await eventually(async () => {
      const { body } = await holdfast.request('GET', `/v1/sessions/${id}`);
      expect(body).toMatchObject({ status: 'failed', endReason: 'sandbox_exited' });
      return body;
    });
    const refused = await holdfast.request('POST', `/v1/sessions/${id}/steps`, { code: '1' });
    expect(refused.status).toBe(410);
    expect(refused.body).toMatchObject({
      code: 'session-ended',
      endReason: 'sandbox_exited',
      endedAt: session.endedAt,
    });
    await nothingRunsIn(join(installation.dataDir, 'sandboxes', id.replace('_', '-')));
  });
});

describe('ending', () => {
  test('a completed session stays readable and takes no more steps', async () => {
    const { id } = await holdfast.createSession();
    await holdfast.runStep(id, { code: '1' });
    const completed = await holdfast.request('POST', `/v1/sessions/${id}/complete`);
    expect(completed.body).toMatchObject({ status: 'completed', endReason: 'completed_by_host' });
    expect((await holdfast.request('POST', `/v1/sessions/${id}/complete`)).status).toBe(200);
    expect(await holdfast.history(id)).toHaveLength(1);
    expect((await holdfast.request('POST', `/v1/sessions/${id}/steps`, { code: '1' })).status).toBe(410);
  });

  test('a step that runs when its session is completed is recorded as interrupted', async () => {
    const { id } = await holdfast.createSession();
    const stream = holdfast.streamStep(id, { code: 'import time; time.sleep(60)' });
    await stream.next();
    await holdfast.request('POST', `/v1/sessions/${id}/complete`);
    let last: StepEvent | undefined;
    for await (const event of stream) last = event;
    expect(last).toMatchObject({ step: { status: 'interrupted', cause: { code: 'session_ended' } } });
  });

  test.each([
    ['idleTimeoutSeconds', 'idle_timeout'],
    ['timeoutSeconds', 'max_age'],
  ])('%s ends a session as expired, with %s', async (field, endReason) => {
    const { id } = await holdfast.createSession({ [field]: 1 });
    await eventually(async () => {
      const { body } = await holdfast.request('GET', `/v1/sessions/${id}`);
      expect(body).toMatchObject({ status: 'expired', endReason });
    });
    await nothingRunsIn(join(installation.dataDir, 'sandboxes', id.replace('_', '-')));
  });

  test('a running step keeps its session from being idle', async () => {
    const { id } = await holdfast.createSession({ idleTimeoutSeconds: 1 });
    const step = await holdfast.runStep(id, { code: 'import time; time.sleep(2.5); "done"' });
    expect(step.status).toBe('succeeded');
    await holdfast.request('DELETE', `/v1/sessions/${id}`);
  });

  test('the creator of a session that is deleted meanwhile gets 410, and nothing of the session is left', async () => {
    const create = holdfast.request('POST', '/v1/sessions', { metadata: { deleted: 'early' } });
    const id = await eventually(async () => {
      const { body } = await holdfast.request('GET', '/v1/sessions?metadata=deleted:early');
      expect(body.items).toHaveLength(1);
      return body.items[0].id as string;
    });
    expect((await holdfast.request('DELETE', `/v1/sessions/${id}`)).status).toBe(204);
    const { status, body } = await create;
    expect([status, body.code]).toEqual([410, 'session-ended']);
    await nothingRunsIn(join(installation.dataDir, 'sandboxes', id.replace('_', '-')));
  });

  test('a deleted session answers 410 and is not listed', async () => {
    const { id } = await holdfast.createSession({ metadata: { to: 'delete' } });
    expect((await holdfast.request('DELETE', `/v1/sessions/${id}`)).status).toBe(204);
    expect((await holdfast.request('GET', `/v1/sessions/${id}`)).status).toBe(410);
    expect((await holdfast.request('DELETE', `/v1/sessions/${id}`)).status).toBe(204);
    expect((await holdfast.request('GET', '/v1/sessions?metadata=to:delete')).body.items).toEqual([]);
  });
});

describe('idempotency', () => {
  test('a step with the same key and body runs once and gives the same answer; another body is refused', async () => {
    const key = { 'idempotency-key': 'count-once' };
    await run('count = 0');
    const first = await holdfast.runStep(sessionId, { code: 'count += 1; count' }, key);
    const again = await holdfast.runStep(sessionId, { code: 'count += 1; count' }, key);
    expect(again).toEqual(first);
    expect(await shown('count')).toBe('1');
    const path = `/v1/sessions/${sessionId}/steps`;
    expect((await holdfast.request('POST', path, { code: 'count' }, key)).body.code).toBe('idempotency-mismatch');
  });

  test('while the first step with a key runs, the second gets 409', async () => {
    const key = { 'idempotency-key': 'slow' };
    const code = 'import time; time.sleep(1); "slow"';
    const first = holdfast.runStep(sessionId, { code }, key);
    await eventually(async () => expect((await holdfast.history(sessionId)).at(-1)?.code).toBe(code));
    const second = await holdfast.request('POST', `/v1/sessions/${sessionId}/steps`, { code }, key);
    expect([second.status, second.body.code]).toEqual([409, 'idempotency-conflict']);
    expect((await first).status).toBe('succeeded');
  });

  test('a step that fails and drops its queue rejects the steps behind it, which give back the time that they reserved', async () => {
    const { id } = await holdfast.createSession({ budget: { iterations: 10, timeSeconds: 1000 } });
    const path = `/v1/sessions/${id}/steps`;
    const start = async (body: object) => {
      const { status, body: step } = await holdfast.request('POST', path, {
        timeoutSeconds: 200,
        wait: false,
        ...body,
      });
      expect(status).toBe(202);
      return step.id as string;
    };
    const bad = await start({ code: 'input(); 1 / 0', stdin: true, onError: 'drop-queue' });
    const behind = [await start({ code: 'ran = 1' }), await start({ code: 'ran = 2' })];
    expect((await holdfast.request('POST', `${path}/${bad}/stdin`, { text: '' })).status).toBeLessThan(300);
    const endOf = async (stepId: string) => (await holdfast.request('GET', `${path}/${stepId}?waitSeconds=30`)).body;
    expect(await endOf(bad)).toMatchObject({ status: 'failed', error: { name: 'ZeroDivisionError' } });
    for (const stepId of behind) {
      expect(await endOf(stepId)).toMatchObject({
        status: 'rejected',
        outcome: { tag: 'error', kind: 'runtime-error', stateSurvived: true },
        cause: { code: 'earlier_step_failed', message: expect.stringContaining(bad) },
        startedAt: null,
      });
    }
    const later = await holdfast.runStep(id, { code: "'ran' in globals()", timeoutSeconds: 200 });
    expect(later.results[0]?.data['text/plain']).toBe('False');
    // The sandbox alone says that a step did not run, so its iteration counts.
    expect(later.budgetRemaining?.iterations).toBe(6);
    expect(later.budgetRemaining?.timeSeconds).toBeGreaterThan(800);
  });

  test('a refused step leaves its key free', async () => {
    const stream = holdfast.streamStep(sessionId, { code: 'import time; time.sleep(0.5)' });
    await stream.next();
    const key = { 'idempotency-key': 'refused-first' };
    const path = `/v1/sessions/${sessionId}/steps`;
    const refused = await holdfast.request('POST', path, { code: '"ran"', queue: 'reject' }, key);
    expect([refused.status, refused.body.code]).toEqual([409, 'context-busy']);
    for await (const _ of stream);
    expect((await holdfast.runStep(sessionId, { code: '"ran"', queue: 'reject' }, key)).status).toBe('succeeded');
  });

  test('a session is created once per key', async () => {
    const key = { 'idempotency-key': 'one-session' };
    const answers = await Promise.all([1, 2, 3].map(() => holdfast.request('POST', '/v1/sessions', {}, key)));
    const later = await holdfast.request('POST', '/v1/sessions', {}, key);
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409]);
    expect(later.body.id).toBe(answers.find((answer) => answer.status === 201)?.body.id);
  });
});
