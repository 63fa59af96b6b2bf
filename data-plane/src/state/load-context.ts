import { createHash, randomUUID } from 'node:crypto';
import {
  type PastCall,
  type PastStep,
  type RecoverContext,
  type RecoveredContext,
  recoveredContextSchema,
} from '@holdfast/specs/agent';
import { type Language, lostNameSchema, reportedNamesMax } from '@holdfast/specs/public';
import { type AgentClient, type AgentTarget, transferTimeoutMs } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Contents } from '../contents/contents.ts';
import { DamagedContent } from '../contents/damaged-content.ts';
import type { Database } from '../registry/connect.ts';
import { listAnswers } from '../registry/operations/list-answers.ts';
import type { PastStepRow } from '../registry/steps/list-past-steps.ts';
import type { ContextSettings } from './context-settings.ts';

export type LoadDependencies = {
  db: Database;
  agents: Pick<AgentClient, 'call'>;
  contents: Pick<Contents, 'open'>;
  snapshots: { timeoutMs: number };
};

export type StateToLoad = {
  contextId: string;
  language: Language;
  settings: ContextSettings;
  /** The archive; null if there is none. */
  sha256: string | null;
  /** The steps after it, in the order in which they ran. */
  steps: readonly Pick<PastStepRow, 'stepId' | 'code' | 'status' | 'replay'>[];
  /** If not, steps are missing that may have changed anything. */
  isAllKnown: boolean;
};

/** The same context with nothing that it had, because of this. */
export type StateLost = { lostReason: string };

type Loading = { route: AgentTarget; state: StateToLoad & Partial<StateLost>; signal: AbortSignal };

const answerBytesMax = 32 * 2 ** 20;
/** A report of thousands of lost names is no reason to lose all others as well. */
const lostNames = { key: 'lost', item: lostNameSchema, itemsMax: reportedNamesMax };

/**
 * Gives a context of a sandbox the state of an archive and of the steps after it. It replaces what the context had.
 * @throws AgentError; DamagedContent if the archive is gone or damaged
 */
export async function loadContext(
  deps: LoadDependencies,
  { route, state, signal }: Loading,
): Promise<RecoveredContext> {
  const { contextId, language, settings } = state;
  const lostReason = state.lostReason ?? (state.isAllKnown ? null : notAllKnown);
  const sha256 = lostReason === null ? state.sha256 : null;
  // Another replica, or another request, may be loading a state into the same context.
  const by = randomUUID();
  if (sha256 !== null) await upload(deps, { route, contextId, by, sha256, signal });
  const steps = lostReason === null ? state.steps.map(pastStep) : [];
  const callsOf = await callsOfSteps(deps, { sessionId: route.sessionId, steps });
  const body: RecoverContext = {
    language,
    ...settings,
    hasArchive: sha256 !== null,
    steps: steps.map((step) => ({ ...step, calls: callsOf.get(step.stepId) })),
    ...(lostReason !== null && { lostReason }),
    timeoutMs: deps.snapshots.timeoutMs,
  };
  const recover = (given: RecoverContext) => sendRecovery(deps, { route, contextId, by, body: given, signal });
  return await recover(body).catch((error) => {
    const isOfEarlierAgent = error instanceof AgentError && error.slug === 'invalid-request' && callsOf.size > 0;
    if (isOfEarlierAgent) return recover({ ...body, steps });
    throw error;
  });
}

type Sending = { route: AgentTarget; contextId: string; by: string; body: RecoverContext; signal: AbortSignal };

async function sendRecovery(
  { agents, snapshots: { timeoutMs } }: Pick<LoadDependencies, 'agents' | 'snapshots'>,
  { route, contextId, by, body, signal }: Sending,
): Promise<RecoveredContext> {
  return await agents.call(route, {
    method: 'POST',
    path: `/v1/contexts/${contextId}/recover?for=${by}`,
    body,
    schema: recoveredContextSchema,
    list: lostNames,
    answerBytesMax,
    signal,
    timeoutMs: timeoutMs + 10_000,
    withSteps: true,
  });
}

/** The calls that the steps made which may run again, by the ids of the steps. An earlier agent knows none. */
async function callsOfSteps(
  { db }: Pick<LoadDependencies, 'db'>,
  { sessionId, steps }: { sessionId: string; steps: readonly PastStep[] },
): Promise<ReadonlyMap<string, PastCall[]>> {
  const stepIds = steps.filter(({ replay }) => replay).map(({ stepId }) => stepId);
  const calls = stepIds.length > 0 ? await listAnswers(db, { sessionId, stepIds }) : [];
  const ofSteps = new Map<string, PastCall[]>();
  for (const { stepId, call, name, digest, answer } of calls) {
    const past = { call, name, digest: digest.toString('hex'), answer: answer === null ? null : JSON.parse(answer) };
    ofSteps.set(stepId, [...(ofSteps.get(stepId) ?? []), past]);
  }
  return ofSteps;
}

const notAllKnown = 'The history since the latest snapshot is too long, or a part of it was purged.';

/** Whether a context was not loaded because its archive is gone or damaged. */
export const isDamaged = (error: unknown): error is DamagedContent => error instanceof DamagedContent;

/** A step without code handled a front end's message, and its handlers can have done anything. */
function pastStep({ stepId, code, status, replay }: StateToLoad['steps'][number]): PastStep {
  return code === '' ? { stepId, code: 'exec("")', status, replay: false } : { stepId, code, status, replay };
}

type Upload = { route: AgentTarget; contextId: string; by: string; sha256: string; signal: AbortSignal };

async function upload(
  { agents, contents }: LoadDependencies,
  { route, contextId, by, sha256, signal }: Upload,
): Promise<void> {
  const content = await contents.open(sha256);
  if (!content) throw new DamagedContent('the content of the snapshot is gone');
  let damage: DamagedContent | null = null;
  const onDamage = (error: DamagedContent) => {
    damage = error;
  };
  const sent = agents.call(route, {
    method: 'PUT',
    path: `/v1/contexts/${contextId}/archive?for=${by}`,
    upload: checked(content.read(), { sha256, onDamage }),
    signal,
    timeoutMs: transferTimeoutMs,
    withSteps: true,
  });
  await sent.catch((error) => {
    throw damage ?? error;
  });
}

type Checking = { sha256: string; onDamage(error: DamagedContent): void };

/** The bytes, if they are those of this hash. Otherwise the upload fails, and the context keeps its state. */
async function* checked(
  source: AsyncIterable<Uint8Array>,
  { sha256, onDamage }: Checking,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of source) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest('hex') !== sha256) throw new DamagedContent('the content has another hash');
  } catch (error) {
    if (error instanceof DamagedContent) onDamage(error);
    throw error;
  }
}

/** Whether the same may succeed with another state. */
export const isOfState = (error: unknown): error is Error =>
  isDamaged(error) || (error instanceof AgentError && error.slug === 'sandbox-failed');
