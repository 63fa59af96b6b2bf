import type { AgentProcess } from '@holdfast/specs/agent';
import { newId, Problem, processIdForKey, type StartProcess } from '@holdfast/specs/public';
import { AgentError } from '../agent/agent-error.ts';
import type { Seal } from '../keys/seal.ts';
import { auditArguments } from '../policy/audit/audit-arguments.ts';
import { findExcess } from '../policy/budgets/find-excess.ts';
import { type AdmittedProcess, insertProcess, type NewProcess } from '../registry/processes/insert-process.ts';
import { withdrawProcess } from '../registry/processes/withdraw-process.ts';
import type { ProcessRow } from '../registry/schema/processes.ts';
import type { Acknowledgements } from '../sessions/acknowledgements.ts';
import { explainFailedCall } from '../sessions/agent-problem.ts';
import { actorOf, type Caller } from '../sessions/caller.ts';
import { existingSession, isInactive, refuseUnlessActive } from '../sessions/existing-session.ts';
import {
  agreeOnPolicy,
  isPolicyChange,
  PolicyChanged,
  type PolicyDependencies,
  routeFor,
} from '../sessions/policy/under-policy.ts';
import type { Route, Routes } from '../sessions/sandbox-routes.ts';
import { withDeadline } from '../timing/with-deadline.ts';
import { sliceMs } from './ending/budget-watch.ts';
import { type FollowDependencies, followProcessEnd, type SendProcess } from './ending/follow-process-end.ts';
import { LiveProcess } from './ending/live-process.ts';
import { earlierProcess, findKeyed, keyFingerprint } from './keyed-process.ts';
import { refusalOfLimits } from './process-problems.ts';

export type StartDependencies = FollowDependencies &
  PolicyDependencies & {
    seal: Pick<Seal, 'fingerprint'>;
    routes: Routes;
    liveProcesses: Map<string, LiveProcess>;
    processAcknowledgements: Pick<Acknowledgements, 'add' | 'take'>;
    /** How many processes of a session may run at a time. */
    processesMax: number;
    isDraining(): boolean;
  };

type StartInput = { caller: Caller; sessionId: string; request: StartProcess; idempotencyKey?: string | undefined };

/**
 * Starts a process, at most once for an Idempotency-Key. Resolves when it runs, with its row; a repeat of the request gets the process as it is.
 * @throws Problem if it did not start. Nothing of it is recorded then.
 */
export async function startProcess(deps: StartDependencies, input: StartInput): Promise<ProcessRow> {
  try {
    return await startOnce(deps, input);
  } catch (error) {
    const earlier = isInactive(error) ? await earlierProcess(deps, { ...input, tenant: input.caller.tenant }) : null;
    if (earlier) return earlier;
    const isOutdated = error instanceof PolicyChanged;
    if (!isOutdated && !(error instanceof RouteReplaced)) throw error;
    const { caller, sessionId } = input;
    if (isOutdated) await agreeOnPolicy(deps, { sessionId, tenant: caller.tenant });
    return await startOnce(deps, input);
  }
}

/** The session has another sandbox, policy or budget than this replica knew. The process did not start. */
class RouteReplaced extends Problem {
  constructor(sessionId: string) {
    super('session-starting', { detail: `session ${sessionId} has changed just now`, retryAfterSeconds: 1 });
  }
}

/** A process can be a shell, and is judged as one. */
const judgedAs = 'bash';

async function startOnce(deps: StartDependencies, input: StartInput): Promise<ProcessRow> {
  if (deps.isDraining()) throw new Problem('draining', { retryAfterSeconds: 1 });
  const { caller, sessionId, request, idempotencyKey } = input;
  const known = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  const asker = { ...caller, ...actorOf(caller, request) };
  const route = await routeFor(deps, { caller: asker, route: known, language: judgedAs, operation: 'process.start' });
  const fingerprint = keyFingerprint(deps.seal, input);
  const process: NewProcess = {
    id: idempotencyKey ? processIdForKey(sessionId, idempotencyKey) : newId('prc'),
    sessionId,
    epoch: route.epoch,
    ...actorOf(caller, request),
    keyId: caller.keyId,
    command: storedCommand(request.command),
    cwd: request.cwd ?? null,
    terminal: request.terminal ?? null,
    timeoutMs: request.timeoutSeconds ? Math.ceil(request.timeoutSeconds * 1000) : null,
    fingerprint,
    replicaId: deps.replicaId,
    admissionId: newId('uid'),
    policyRevision: route.policyRevision,
    sliceMs,
    processesMax: deps.processesMax,
    audited: auditArguments({ command: request.command, ...(request.cwd && { cwd: request.cwd }) }),
  };
  const admitted = await admit(deps, { process, tenant: caller.tenant });
  if ('id' in admitted) return admitted;
  return await send(deps, { row: rowOf(process, admitted), route, request });
}

/** A command can be a megabyte long, and the registry keeps the beginning. */
const storedLengthMax = 16 * 1024;

function storedCommand(command: StartProcess['command']): StartProcess['command'] {
  if (typeof command === 'string') return cut(command, storedLengthMax);
  let left = storedLengthMax;
  const kept: string[] = [];
  for (const argument of command) {
    if (left <= 0) break;
    kept.push(cut(argument, left));
    left -= argument.length + 8;
  }
  return kept;
}

const cut = (text: string, length: number) => (text.length > length ? text.slice(0, length).toWellFormed() : text);

type Admission = { process: NewProcess; tenant: string };

/** A budget may have reserved something for others that is free by the time that the reason for a refusal is read. */
const triesMax = 5;

/**
 * Inserts the row of a process, or finds that of an earlier request with the same key.
 * @throws Problem 422 if the key came with another request, 409, 410 or 503 if the session starts no process now, 429
 */
async function admit(deps: StartDependencies, { process, tenant }: Admission): Promise<AdmittedProcess | ProcessRow> {
  const { db, routes } = deps;
  const { id, sessionId, fingerprint } = process;
  for (let tries = 0; tries < triesMax; tries++) {
    const admitted = await insertProcess(db, process);
    if (admitted) return admitted;
    const first = fingerprint && (await findKeyed(deps, { id, sessionId, fingerprint }));
    if (first) return first;
    const session = await existingSession(db, { id: sessionId, tenant });
    refuseUnlessActive(session);
    if (session.epoch !== process.epoch || session.policyRevision !== process.policyRevision) {
      routes.drop(sessionId);
      throw new RouteReplaced(sessionId);
    }
    if (session.runningProcesses >= process.processesMax) throw tooManyProcesses(process.processesMax);
    const problem = await findExcess(db, { session, iterations: 1 });
    if (problem) throw problem;
  }
  throw new RouteReplaced(sessionId);
}

const tooManyProcesses = (processesMax: number) =>
  new Problem('quota-exceeded', {
    detail: `${processesMax} processes of the session run already`,
    retryAfterSeconds: 1,
  });

const rowOf = (
  { policyRevision: _, sliceMs: __, audited: ___, processesMax: ____, ...process }: NewProcess,
  admitted: AdmittedProcess,
): ProcessRow => ({
  ...process,
  ...admitted,
  status: 'running',
  pid: null,
  exitCode: null,
  signal: null,
  cause: null,
  log: null,
  truncated: false,
  usage: null,
  assignedAt: admitted.startedAt,
  finishedAt: null,
  chargedMs: null,
  budgetRemaining: null,
});

/** A client that waits for the reason of a refusal does not wait longer than this for the row to be gone. */
const withdrawMs = 2000;

type Sending = { row: ProcessRow; route: Route; request: StartProcess };

async function send(deps: StartDependencies, { row, route, request }: Sending): Promise<ProcessRow> {
  const { agents, liveProcesses, processAcknowledgements: acknowledgements } = deps;
  const live = new LiveProcess(row);
  const post: SendProcess = (onFrames, signal) => {
    const body = agentProcess({ row, request, acks: acknowledgements.take(route.sandboxUid) });
    return agents.stream(route, { path: '/v1/processes', body, onFrames, signal, isWatched: true });
  };
  liveProcesses.set(row.id, live);
  const ended = followProcessEnd(deps, { live, route, send: post, ranMs: 0 })
    .catch((error) => {
      live.fail(error);
      throw error;
    })
    .finally(() => liveProcesses.delete(row.id));
  try {
    await Promise.race([live.started, ended]);
  } catch (error) {
    if (!(error instanceof AgentError)) throw unfollowed(row.id, error);
    const withdrawn = withdrawProcess(deps.db, row);
    deps.background(withdrawn);
    await withDeadline(withdrawn, { ms: withdrawMs, what: 'withdrawing a process' }).catch(() => {});
    if (isPolicyChange(error)) throw new PolicyChanged(route.sessionId);
    const problem = await explainFailedCall(deps, { key: route, error: refusalOfLimits(error) });
    const now = deps.routes.cached(route.sessionId);
    throw now && now.epoch > route.epoch ? new RouteReplaced(route.sessionId) : problem;
  }
  // It runs on without a request; the replica that finds it without a follower records how it ends.
  ended.catch(() => {});
  deps.onRecorded(row.sessionId);
  return live.row;
}

/** It may run, so its row stays for the replica that finds it without a follower. */
const unfollowed = (id: string, cause: unknown) =>
  new Problem('sandbox-unreachable', {
    detail: `it is not known whether process ${id} has started; ask for it again`,
    retryAfterSeconds: 1,
    cause,
  });

function agentProcess({
  row,
  request,
  acks,
}: {
  row: ProcessRow;
  request: StartProcess;
  acks: string[];
}): AgentProcess {
  const { command, cwd, env, stdin, stderr, terminal, limits, artifacts } = request;
  return {
    processId: row.id,
    command,
    ...(cwd !== undefined && { cwd }),
    ...(env && { env }),
    stdin,
    stderr,
    ...(terminal && { terminal }),
    ...(row.timeoutMs !== null && { timeoutMs: row.timeoutMs }),
    ...(limits && { limits }),
    collectChanges: artifacts,
    acks,
    output: 'ends',
    paced: false,
  };
}
