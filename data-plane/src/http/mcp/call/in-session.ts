import { createSessionSchema, Problem, type Session } from '@holdfast/specs/public';
import { isOwn, isSharedKey, ownKey, ownMetadata } from '../../../mcp-sessions/own-session.ts';
import type { Call } from './call.ts';

type SessionCall = Pick<Call, 'verbs' | 'caller' | 'mcp'>;
type PlacedCall = SessionCall & Pick<Call, 'place'>;

/**
 * Works in the session of an MCP session. The first call creates it, unless it is one that others have, too; one that is paused is resumed. If
 * it has ended, nothing is done, and the next call begins a new one: code must not run on empty memory before its author knows of it.
 * @throws Problem those of `work` and of the creation of a session; 410 if the session has ended
 */
export async function inSession<T>(call: PlacedCall, work: (sessionId: string) => Promise<T>): Promise<T> {
  const sessionId = call.mcp.sessionId ?? (await firstSession(call));
  call.place.sessionId = sessionId;
  try {
    return await work(sessionId).catch(async (error) => {
      if (slugOf(error) !== 'session-paused') throw error;
      await call.verbs.resumeSession({ caller: call.caller, id: sessionId });
      return await work(sessionId);
    });
  } catch (error) {
    if (!(error instanceof Problem) || error.slug !== 'session-ended') throw error;
    await call.verbs.chooseSession({ mcp: { ...call.mcp, sessionId }, sessionId: null });
    const { detail, ...options } = error.options;
    const then = 'Nothing was done. The next call begins a new session, without variables and files of the old one';
    throw new Problem('session-ended', {
      ...options,
      detail: `${detail ?? `session ${sessionId} has ended`}. ${then}`,
    });
  }
}

const slugOf = (error: unknown) => (error instanceof Problem ? error.slug : null);

/** Calls at the same time get the same one: it is created with a client key. */
async function firstSession({ verbs, caller, mcp }: SessionCall): Promise<string> {
  const clientKey = mcp.sessionKey ?? ownKey(mcp);
  const request = createSessionSchema.parse({ clientKey, metadata: ownMetadata(mcp) });
  const session = await verbs.createSession({ caller, request });
  const chosen = verbs.chooseSession({ mcp, sessionId: session.id });
  return (await chosen.catch((error) => endUnclaimed({ verbs, caller, mcp }, session, error))) ?? session.id;
}

/**
 * Ends a session that was created for an MCP session which has ended meanwhile, unless it has a name.
 * @throws the error that says so
 */
export async function endUnclaimed(
  { verbs, caller, mcp }: SessionCall,
  session: Session,
  error: unknown,
): Promise<never> {
  if (slugOf(error) === 'not-found' && isOwn(mcp, session) && !isSharedKey(session.clientKey)) {
    await verbs.endSession({ caller, id: session.id, to: 'completed' });
  }
  throw error;
}
