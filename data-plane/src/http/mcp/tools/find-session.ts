import { Problem, type Session, sessionIdSchema } from '@holdfast/specs/public';
import { mayUse } from '../../../mcp-sessions/own-session.ts';
import type { Call } from '../call/call.ts';

/** The living session of the name that the connection has, in which the next call will work; null if there is none. */
export async function sessionOfName({ verbs, caller, mcp: { sessionKey } }: Call): Promise<string | null> {
  if (sessionKey === null) return null;
  const { items } = await verbs.listSessions({ caller, clientKey: sessionKey, limit: 50 });
  return items.find(({ endedAt }) => endedAt === null)?.id ?? null;
}

/** @throws Problem 404, also for a session that another MCP session has for itself */
export async function findSession({ verbs, caller, mcp }: Call, nameOrId: string): Promise<Session> {
  const isId = sessionIdSchema.safeParse(nameOrId).success;
  const named = isId ? null : await verbs.listSessions({ caller, clientKey: nameOrId, limit: 50 });
  const session = named
    ? named.items.find(({ endedAt }) => endedAt === null)
    : await verbs.getSession({ caller, id: nameOrId });
  if (session && mayUse(mcp, session)) return session;
  throw new Problem('not-found', { detail: `session ${JSON.stringify(nameOrId)} does not exist` });
}
