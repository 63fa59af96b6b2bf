import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxName } from '../../src/sessions/sandbox-name.ts';
import { createRecordingAgents } from '../fake-kubernetes/kubelet/recording-agents.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { startOnKubernetes } from '../support/start-on-kubernetes.ts';

const rounds = Number(process.env.HOLDFAST_TEST_ROUNDS ?? 200);

const agents = createRecordingAgents();
let fake: FakeKubernetes;
let holdfast: Awaited<ReturnType<typeof startOnKubernetes>>;

beforeAll(async () => {
  fake = await startFakeKubernetes({ startContainer: agents.startContainer, addresses: 1 });
  holdfast = await startOnKubernetes(fake, { HOLDFAST_SESSIONS_MAX: '10000' });
});
afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]();
  await fake?.close();
});

test('the next pod at the address of a dead one receives no token and no code of the session of the dead pod', async () => {
  const sessions = [await newSession()];
  const lost: Promise<unknown>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const old = sessions.at(-1) as Session;
    const running = runStep(old, 'forever');
    await eventually(() => expect(old.received()).toContain('forever'));
    // The cluster still shows the old pod as running, so only the peers can tell.
    fake.reports.close();
    fake.operator.crash(old.pod);
    await eventually(() => expect(fake.addresses.free).toBe(1));
    const heir = await newSession();
    const dialled = heir.proofs();
    expect(await runStep(old, 'next')).toMatchObject({ status: 503, body: { code: 'sandbox-unreachable' } });
    expect(heir.proofs()).toBeGreaterThan(dialled);
    fake.reports.open();
    lost.push(running);
    sessions.push(heir);
  }
  for (const answer of await Promise.all(lost)) expect(answer).toMatchObject({ status: 200, body: { status: 'lost' } });
  for (const session of sessions) {
    const text = session.received();
    expect(new Set(text.match(/ses_\w+/g) ?? [])).toEqual(new Set(session === sessions.at(-1) ? [] : [session.id]));
    expect(new Set(audiences(text))).toEqual(new Set([session.uid]));
    expect(text).not.toContain('/attach');
  }
}, 300_000);

type Session = Awaited<ReturnType<typeof newSession>>;

async function newSession() {
  const { id } = await holdfast.createSession();
  const pod = sandboxName(id, 1);
  const uid = fake.pods.find(pod)?.metadata.uid ?? '';
  const received = () => agents.received(uid);
  return { id, pod, uid, received, proofs: () => received().split('POST /v1/proof').length - 1 };
}

const runStep = ({ id }: Session, word: string) =>
  holdfast.request('POST', `/v1/sessions/${id}/steps`, { code: `${word}: the secret of ${id}` });

/** The audience of each token in a text. */
function audiences(text: string): string[] {
  const tokens = [...text.matchAll(/bearer ([\w-]+)\.([\w-]+)\./gi)];
  return tokens.map(([, , payload = '']) => JSON.parse(Buffer.from(payload, 'base64url').toString()).aud);
}
