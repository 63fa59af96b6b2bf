import type { Random } from '../random.ts';
import type { Deployment } from '../stage/deployment.ts';
import { createApi } from './api.ts';
import { filesInTurn, moveAgainstPut, nestedPuts } from './files.ts';
import type { Ledger } from './ledger.ts';
import { job, keyedStep, pause, plainStep, type StepInput, streamedStep } from './steps.ts';

type ClientInput = {
  ledger: Ledger;
  random: Random;
  deployment: Deployment;
  /** Appended to by every run of the client's code. */
  runsFile: string;
  /** A client that stays with one replica and always has a long step there, so that no fault of this replica finds it idle. */
  staysWith: number | null;
  stop: AbortSignal;
};

const turnsMax = 25;
/** Sessions that are not deleted, so that there is something to compare afterwards. */
const keptMax = 2;

/** A client that works until it is stopped. It never checks anything: its ledger is judged afterwards. */
export async function runClient({ ledger, random, deployment, runsFile, staysWith, stop }: ClientInput): Promise<void> {
  const api = createApi({ ledger, deployment, stop });
  let marks = 0;
  const newMark = () => `${ledger.client}-${++marks}`;

  async function createSession(): Promise<string | null> {
    const key = `session-${newMark()}`;
    for (let attempt = 0; attempt < 20 && !stop.aborted; attempt++) {
      const ask = { what: 'create' as const, key, sessionId: null, replica: staysWith ?? random.below(100) };
      const headers = { 'idempotency-key': key };
      const { status, id } = await api.request({ ask, method: 'POST', path: '/v1/sessions', body: {}, headers });
      if (status === 201) return id;
      if (status !== null && status < 500 && status !== 409 && status !== 429) return null;
      await pause(api, 500);
    }
    return null;
  }

  /** Works in a session until the plan is done or the session has ended. */
  async function work(sessionId: string): Promise<void> {
    const input: StepInput = { api, random, sessionId, replica: staysWith, runsFile, newMark };
    for (let turn = 0; turn < turnsMax && !stop.aborted; turn++) {
      if (await hasEnded(sessionId)) return;
      if (staysWith !== null)
        await Promise.all([plainStep(input, { seconds: random.between(1, 2) }), keyedStep(input)]);
      else await random.pick(activities)(input);
    }
  }

  async function hasEnded(sessionId: string): Promise<boolean> {
    const ask = { what: 'read' as const, sessionId, replica: random.below(100) };
    const { status, session } = await api.request({ ask, method: 'GET', path: `/v1/sessions/${sessionId}` });
    return status === 410 || (session !== null && session.endReason !== null);
  }

  async function deleteSession(sessionId: string): Promise<void> {
    const ask = { what: 'delete' as const, sessionId, replica: random.below(100) };
    const { status } = await api.request({ ask, method: 'DELETE', path: `/v1/sessions/${sessionId}` });
    if (status === null || status >= 500) await pause(api, 500);
  }

  for (let kept = 0; !stop.aborted; ) {
    const sessionId = await createSession();
    if (!sessionId) continue;
    await work(sessionId);
    if (kept < keptMax && random.chance(0.5)) kept += 1;
    else await deleteSession(sessionId);
  }
}

/** A step in a further context, which may be deleted under it. */
async function otherContext(input: StepInput): Promise<void> {
  const { api, random, sessionId } = input;
  const contexts = `/v1/sessions/${sessionId}/contexts`;
  const ask = { what: 'context' as const, contextId: null, sessionId, replica: random.below(100) };
  const { id } = await api.request({ ask, method: 'POST', path: contexts, body: { language: 'python' } });
  if (!id) return;
  await plainStep(input, { contextId: id });
  await api.request({ ask: { ...ask, contextId: id }, method: 'DELETE', path: `${contexts}/${id}` });
}

type Activity = (input: StepInput) => Promise<unknown>;

/** Activities that do not wait for each other share the session, as an agent and a person do. */
const together: Activity = (input) => Promise.all([plainStep(input), keyedStep(input), streamedStep(input)]);

/** One long step, and others that are admitted one by one while it runs. */
const manyAtOnce: Activity = (input) => {
  const long = plainStep(input, { seconds: input.random.between(1, 2) });
  return Promise.all([long, keyedStep(input), keyedStep(input), keyedStep(input)]);
};

/** One that is listed twice is picked twice as often. */
const activities: readonly Activity[] = [
  ...[plainStep, keyedStep, keyedStep, streamedStep, job, together, together],
  ...[nestedPuts, nestedPuts, moveAgainstPut, moveAgainstPut, filesInTurn, otherContext],
];
