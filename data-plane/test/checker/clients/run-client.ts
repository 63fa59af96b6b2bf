import type { Random } from '../random.ts';
import type { Deployment } from '../stage/deployment.ts';
import { activities, rush, steadily } from './activities.ts';
import { createApi } from './api.ts';
import type { Ledger } from './ledger.ts';
import { pause, type StepInput } from './steps.ts';

type ClientInput = {
  ledger: Ledger;
  random: Random;
  deployment: Deployment;
  /** Appended to by every run of the client's code. */
  runsFile: string;
  /** A client that stays with one replica and always has a long step there, so that no fault of this replica finds it idle. */
  staysWith: number | null;
  /** Calls its argument whenever many requests come at once. */
  onRush(listener: () => void): void;
  stop: AbortSignal;
};

const turnsMax = 25;
/** Sessions that are not deleted, so that there is something to compare afterwards. */
const keptMax = 3;

/** A client that works until it is stopped. It never checks anything: its ledger is judged afterwards. */
export async function runClient(input: ClientInput): Promise<void> {
  const { ledger, random, deployment, runsFile, staysWith, stop } = input;
  const api = createApi({ ledger, deployment, stop });
  let marks = 0;
  const newMark = () => `${ledger.client}-${++marks}`;

  async function createSession(): Promise<string | null> {
    const key = `session-${newMark()}`;
    const body = {
      ...(random.chance(0.5) && { recovery: 'auto' }),
      ...(random.chance(0.5) && { budget: { iterations: 100_000, timeSeconds: 10_000_000 } }),
    };
    for (let attempt = 0; attempt < 20 && !stop.aborted; attempt++) {
      const ask = { what: 'create' as const, key, sessionId: null, replica: staysWith ?? random.below(100) };
      const headers = { 'idempotency-key': key };
      const { status, id } = await api.request({ ask, method: 'POST', path: '/v1/sessions', body, headers });
      if (status === 201) return id;
      if (status !== null && status < 500 && status !== 409 && status !== 429) return null;
      await pause(api, 500);
    }
    return null;
  }

  let current: StepInput | null = null;
  const rushes: Promise<void>[] = [];
  if (staysWith !== null) input.onRush(() => void (current && rushes.push(rush(current))));

  /** Works in a session until the plan is done or the session has ended. */
  async function work(sessionId: string): Promise<void> {
    const session: StepInput = { api, random, sessionId, replica: staysWith, runsFile, newMark };
    current = session;
    for (let turn = 0; turn < turnsMax && !stop.aborted; turn++) {
      if (await hasEnded(sessionId)) return;
      await (staysWith === null ? random.pick(activities) : steadily)(session);
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
    if (kept < keptMax && random.chance(0.7)) kept += 1;
    else await deleteSession(sessionId);
  }
  await Promise.all(rushes);
}
