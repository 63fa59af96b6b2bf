import { newId, type OpenedPort, type OpenPort, Problem, portTokenParameter } from '@holdfast/specs/public';
import { portToken } from '../keys/port-token.ts';
import { entryOf } from '../policy/audit/asked-by.ts';
import { decide } from '../policy/rules/decide.ts';
import { policyDenied } from '../policy/rules/policy-denied.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import { findPort } from '../registry/ports/find-port.ts';
import { insertPort } from '../registry/ports/insert-port.ts';
import type { Queries } from '../registry/queries.ts';
import type { PortRow } from '../registry/schema/ports.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import { type AskDependencies, askAgent } from '../sessions/ask-agent.ts';
import type { Caller } from '../sessions/caller.ts';
import { changedJustNow, existingSession, refuseUnlessActive } from '../sessions/existing-session.ts';
import { type IdempotencyDependencies, idempotently } from '../sessions/idempotently.ts';
import { needPreview, type PreviewDependencies } from './need-preview.ts';
import type { OpenPorts } from './open-ports.ts';
import { portView } from './port-view.ts';

/** For one session, on all replicas together. */
const openMax = 100;

/** For the answer of the agent, beside the wait. */
const answerMs = 10_000;

export type OpenDependencies = IdempotencyDependencies &
  AskDependencies &
  PreviewDependencies & {
    openPorts: Pick<OpenPorts, 'forget'>;
    /** Throws for a port that is never a sandbox's own. */
    refuseOwnPort(port: number): void;
  };

type OpenInput = {
  caller: Caller;
  sessionId: string;
  request: OpenPort;
  /** The `Host` by which the client reaches the API. */
  apiHost: string | undefined;
  idempotencyKey?: string | undefined;
};

/**
 * Opens a port of a session to visitors. Its server need not listen yet, unless the request waits for it. A repeat gets the first answer,
 * whatever has become of the session.
 * @throws Problem 403, 404, 409, 410, 429, 501, 502 `port-closed`, 503
 */
export async function openPort(deps: OpenDependencies, input: OpenInput): Promise<OpenedPort> {
  const { caller, sessionId, request, apiHost, idempotencyKey } = input;
  const hosts = needPreview(deps);
  const { access } = request;
  // A repeat may wait for another time.
  const { waitSeconds: _, ...repeated } = request;
  if (access !== 'key' && !caller.scopes.has('host'))
    throw new Problem('forbidden', { detail: `the scope host is needed for the access ${access}` });
  const session = await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const first = {
    tenant: caller.tenant,
    key: idempotencyKey,
    request: ['open port', sessionId, repeated],
    newId: newId('prt'),
  };
  return await idempotently(deps, first, async (id, { resumed, hold }) => {
    const known = resumed ? await findPort(deps.db, { id }) : null;
    const row = known ?? (await openNew(deps, { ...input, session, id, hold }));
    deps.openPorts.forget(row);
    const url = hosts.urlOf(row, apiHost);
    if (access !== 'link') return { ...portView(row, url), token: null };
    const token = portToken(deps.seal, row);
    return { ...portView(row, `${url}/?${portTokenParameter}=${token}`), token };
  });
}

type NewPort = OpenInput & {
  session: SessionRow;
  id: string;
  /** Throws if another replica answers the request now. */
  hold(tx: Queries): Promise<void>;
};

async function openNew(deps: OpenDependencies, { session, id, hold, ...input }: NewPort): Promise<PortRow> {
  const { caller, sessionId, request } = input;
  const { waitSeconds, ...opened } = request;
  const { port, access, expiresSeconds } = opened;
  refuseUnlessActive(session);
  const { arguments: given, ...entry } = entryOf(caller, sessionId, { operation: 'port.open', ...opened });
  const decision = decide(session.policy, { operation: 'port.open' });
  if (!decision.allowed) {
    await recordAudit(deps.db, { ...entry, arguments: given, decision: 'denied', rule: decision.rule });
    throw policyDenied(decision.rule);
  }
  deps.refuseOwnPort(port);
  if (waitSeconds !== undefined) {
    const path = `/v1/ports/${port}?waitSeconds=${waitSeconds}`;
    const timeoutMs = waitSeconds * 1000 + answerMs;
    await askAgent(deps, { caller, sessionId, call: { method: 'GET', path, timeoutMs } });
  }
  return await deps.db.transaction(async (tx) => {
    await hold(tx);
    const inserted = await insertPort(tx, {
      ...{ id, sessionId, port, access, expiresSeconds, openMax },
      admit: (now) => {
        refuseUnlessActive(now);
        // The new policy is to be judged.
        if (now.policyRevision !== session.policyRevision) throw changedJustNow(sessionId);
      },
    });
    if (inserted === 'session-deleted') throw changedJustNow(sessionId);
    if (inserted === 'too-many')
      throw new Problem('quota-exceeded', { detail: `a session has at most ${openMax} ports that are open` });
    if (inserted.isNew) await recordAudit(tx, { ...entry, arguments: { portId: id, ...given } });
    return inserted.port;
  });
}
