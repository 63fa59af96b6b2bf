import { createSessionSchema, Problem } from '@holdfast/specs/public';
import { ownKey, ownMetadata } from '../../../mcp-sessions/own-session.ts';
import type { Call } from './call.ts';

type SessionCall = Pick<Call, 'verbs' | 'caller' | 'mcp'>;

/**
 * Works in the session of an MCP session. The first call creates it, unless it is one that others have, too; one that is paused is resumed. If
 * it has ended, nothing is done, and the next call begins a new one: code must not run on empty memory before its author knows of it.
 * @throws Problem those of `work` and of the creation of a session; 410 if the session has ended
 */
export async function inSession<T>(call: SessionCall, work: (sessionId: string) => Promise<T>): Promise<T> {
  const sessionId = call.mcp.sessionId ?? (await firstSession(call));
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
  const { id } = await verbs.createSession({ caller, request });
  return (await verbs.chooseSession({ mcp, sessionId: id })) ?? id;
}
