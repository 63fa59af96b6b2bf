import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentOf } from '../state/kill-sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { hostOf, openStage, type Replica, type Stage, waitsFor } from './stage.ts';

let stage: Stage;
let here: Replica;
let there: Replica;

beforeAll(async () => {
  stage = await openStage();
  [here, there] = await Promise.all([stage.start(), stage.start()]);
}, 120_000);
afterAll(() => stage[Symbol.asyncDispose](), 60_000);

const languages = {
  python:
    'holdfast.call("memo.put", "k", "first"); asked = holdfast.call("llm.complete", "Hi"); noted = holdfast.call("memo.get", "k")',
  node: 'await holdfast.call("memo.put", "k", "first"); const asked = await holdfast.call("llm.complete", "Hi"); const noted = await holdfast.call("memo.get", "k")',
  bash: `holdfast call memo.put '"k"' '"first"'; asked=$(holdfast call llm.complete '"Hi"'); noted=$(holdfast call memo.get '"k"')`,
  ruby: `system %q(holdfast call memo.put '"k"' '"first"'); $asked = %x(holdfast call llm.complete '"Hi"'); $noted = %x(holdfast call memo.get '"k"')`,
} as const;
type Language = keyof typeof languages;

const shows = {
  python: 'print(asked, noted)',
  node: 'console.log(asked, noted)',
  bash: 'echo "$asked $noted"',
  ruby: 'puts [$asked, $noted].map(&:strip).join(" ")',
} as const;
const shown = { python: 'hello first\n', node: 'hello first\n', bash: '"hello" "first"\n', ruby: '"hello" "first"\n' };

const recovered = async (sessionId: string, body: object) => {
  const answer = await there.request('POST', `/v1/sessions/${sessionId}/recover`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.lastRecovery.contexts as { contextId: string; stopped: { reason: string } | null }[];
};

/** Runs a step to its end, and answers the call `name` that it makes of its host. */
async function runAnswered(sessionId: string, body: object, { name, value }: { name: string; value: unknown }) {
  const step = await here.runStep(sessionId, { code: '', ...body });
  const { id } = await waitsFor(there, sessionId, name);
  const usage = { tokens: 7 };
  expect((await hostOf(there, sessionId).answer(id, { value, usage })).status).toBe(200);
  return await hostOf(here, sessionId).ended(step.id);
}

/** Everything outside the sandbox that a call could change. */
async function effects(sessionId: string) {
  const { db } = stage.database;
  const audited = await db.sql`select operation, count(*)::int as count from audit_entries
    where session_id = ${sessionId} and operation ~ '^(memo|llm|facts|world)[.]' group by 1 order by 1`;
  const memos = await db.sql`select key, value from memos where session_id = ${sessionId}`;
  const { tokens } = (await here.request('GET', `/v1/sessions/${sessionId}`)).body.budget.used;
  return { audited: [...audited], memos: [...memos], operations: await hostOf(here, sessionId).all(), tokens };
}

test.each(Object.keys(languages) as Language[])(
  'a replay of a %s step gives its calls the answers that they had, asks no one and changes nothing',
  async (language) => {
    const { id } = await here.createSession({ budget: { tokens: 100 } });
    const asking = { code: languages[language], language };
    expect(await runAnswered(id, asking, { name: 'llm.complete', value: 'hello' })).toMatchObject({
      status: 'succeeded',
    });
    const other = language === 'python' ? 'node' : 'python';
    const call = { python: 'holdfast.call', node: 'await holdfast.call' }[other];
    await here.runStep(id, { code: `${call}("memo.put", "k", "later")`, language: other });
    const before = await effects(id);
    expect(before).toMatchObject({ tokens: 7, memos: [{ value: '"later"' }] });
    for (const _again of [1, 2]) {
      const contexts = await recovered(id, { strategy: 'replay' });
      expect(contexts.map(({ stopped }) => stopped)).toEqual([null, null]);
      const { stdout } = await here.runStep(id, { code: shows[language], language });
      expect(stdout).toBe(shown[language]);
    }
    expect(await effects(id)).toEqual(before);
  },
  90_000,
);

test.each(['python', 'node', 'bash', 'ruby'] as const)(
  'a replay of a %s step that calls something else than it did stops there, and says which call',
  async (language) => {
    const { id } = await here.createSession();
    const code = {
      python: 'import os\ntry: asked = holdfast.call("ask", os.path.exists("flag"))\nexcept Exception: asked = "not"',
      node: 'let asked; try { asked = await holdfast.call("ask", require("fs").existsSync("flag")) } catch { asked = "not" }',
      bash: 'if [[ -e flag ]]; then asked=$(holdfast call ask true); else asked=$(holdfast call ask false); fi; true',
      ruby: '$asked = %x(holdfast call ask #{File.exist?("flag")})',
    }[language];
    await runAnswered(id, { code, language }, { name: 'ask', value: 1 });
    const touch =
      language === 'bash' ? { code: 'open("flag", "w").close()' } : { code: 'touch flag', language: 'bash' };
    await here.runStep(id, touch);
    const context = (await recovered(id, { strategy: 'replay' })).find(({ contextId }) => contextId === language);
    expect(context?.stopped?.reason).toBe(
      'the answer to its call 1, ask, is not known: it did not call that with these arguments before, or it was not kept',
    );
    expect((await hostOf(here, id).all()).length).toBe(1);
  },
  60_000,
);

test('a recovery from a lost sandbox, and a kernel that follows a lost one, answer calls as before', async () => {
  const { id } = await here.createSession({ recovery: 'auto' });
  const code = 'asked = [holdfast.call("llm.complete", "Hi")]';
  await runAnswered(id, { code, replay: true }, { name: 'llm.complete', value: 'hello' });
  await here.runStep(id, { code: 'import os, signal; os.kill(os.getpid(), signal.SIGKILL)' });
  expect((await here.runStep(id, { code: 'print(asked)' })).stdout).toBe("['hello']\n");
  process.kill(await agentOf(here, id), 'SIGKILL');
  await eventually(async () => {
    expect((await here.request('GET', `/v1/sessions/${id}`)).body).toMatchObject({ status: 'active', epoch: 2 });
  }, 40_000);
  expect((await here.runStep(id, { code: 'print(asked)' })).stdout).toBe("['hello']\n");
  expect((await hostOf(here, id).all()).length).toBe(1);
}, 90_000);

test('the answers of a step are purged with it', async () => {
  const { db } = stage.database;
  const { id } = await here.createSession();
  const { id: stepId } = await here.runStep(id, { code: 'holdfast.call("memo.get", "k")' });
  const kept = () => db.sql`select from kept_answers where step_id = ${stepId}`;
  expect((await kept()).length).toBe(1);
  expect((await here.request('DELETE', `/v1/sessions/${id}`)).status).toBeLessThan(300);
  await eventually(async () => expect((await kept()).length).toBe(0), 30_000);
}, 60_000);
