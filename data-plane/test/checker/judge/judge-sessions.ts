import { sandboxEnds } from '@holdfast/specs/public';
import { type Evidence, explains, type SessionEvidence, type Violation } from './evidence.ts';

const outages = [
  ...['postgres-killed', 'postgres-restarted', 'postgres-frozen', 'backend-killed', 'backend-terminated'],
  ...['logins-refused', 'statements-refused', 'disk-full', 'database-connections-cut', 'database-connections-silent'],
  ...['replica-killed', 'replica-paused', 'replica-slept', 'second-deployment-restarted', 'agent-connections-cut'],
  ...['agent-connections-silent', 'agent-paused', 'agent-killed'],
] as const satisfies readonly Evidence['faults'][number]['kind'][];

/** Compares the status of a session with what its client did and with the faults of its sandbox. Pure. */
export function* judgeSessions(evidence: Evidence, found: SessionEvidence): Generator<Violation> {
  const { id, status, session, pods } = found;
  const violation = (rule: string, detail: string): Violation => ({ rule, sessionId: id, detail });
  const deletes = evidence.exchanges.filter(({ ask }) => ask.what === 'delete' && ask.sessionId === id);
  const isDeleted = deletes.some(({ answer }) => answer?.status === 204 || answer?.status === 202);
  if (status === 410 && deletes.length === 0) yield violation('deleted without a request', 'it answers 410');
  if (status !== 410 && isDeleted)
    yield violation('deleted, but still there', `it answers ${status} ${session?.status}`);
  if (status !== 410 && status !== 200) yield violation('forgotten session', `it answers ${status}`);

  const isLive = session?.status === 'active';
  if (session && session.endedAt === null && !isLive) yield violation('not at rest', `it is ${session.status}`);
  if (session?.endedAt && !mayHaveEnded(evidence, found)) {
    yield violation('condemned', `${session.status} ${session.endReason}: ${session.endMessage}`);
  }
  const running = pods.filter(({ phase }) => phase === 'Running');
  if (isLive && running.length !== 1) yield violation('a session without its sandbox', JSON.stringify(pods));
  if (!isLive && pods.length > 0) yield violation('a sandbox without a session', JSON.stringify(pods));
  for (const { name, agents } of running) {
    if (agents > 1) yield violation('two agents', `${name} has ${agents}`);
  }
}

/**
 * A session ends by itself only if its sandbox was killed, or if it never came to life because something was away. A deletion that was
 * answered with an error of the server may have ended it.
 */
function mayHaveEnded(evidence: Evidence, found: SessionEvidence): boolean {
  const { id, session, history } = found;
  if (session?.status === 'aborted') {
    return evidence.exchanges.some(({ ask }) => ask.what === 'delete' && ask.sessionId === id);
  }
  if (!session?.endedAt || session.status !== 'failed') return false;
  const from = Date.parse(session.createdAt);
  const until = Date.parse(session.endedAt);
  if ((sandboxEnds as readonly (string | null)[]).includes(session.endReason)) {
    return explains(evidence, { kinds: ['agent-killed'], target: id, from, until }) || leaseRanOut(evidence, found);
  }
  const wasActive = history.length > 0;
  return !wasActive && explains(evidence, { kinds: outages, from, until });
}

/** Less than a lease, the last renewal of which was some time before. */
const withoutRenewalMs = 90_000;

/** Whether the only replica of a deployment was away for so long that the agents ended themselves. On a busy machine it takes a minute to start. */
function leaseRanOut({ faults }: Evidence, { deployment, session }: SessionEvidence): boolean {
  if (deployment !== 'second' || !session?.endedAt) return false;
  const until = Date.parse(session.endedAt);
  const away = faults
    .filter(({ kind, target }) => awayKinds.has(kind) && target.startsWith(deployment))
    .map((fault) => Math.min(fault.until, until) - Math.max(fault.from, until - 2 * withoutRenewalMs))
    .filter((ms) => ms > 0);
  return away.reduce((sum, ms) => sum + ms, 0) >= withoutRenewalMs;
}

const awayKinds: ReadonlySet<string> = new Set(['replica-killed', 'second-deployment-restarted']);
