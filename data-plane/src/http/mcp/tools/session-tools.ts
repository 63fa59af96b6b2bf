import {
  clientKeySchema,
  createSessionSchema,
  faultWords,
  invalidRequest,
  networkSchema,
  Problem,
  profileNameSchema,
  type Session,
} from '@holdfast/specs/public';
import { z } from 'zod';
import { isOwn, isSharedKey, ownMetadata } from '../../../mcp-sessions/own-session.ts';
import type { Call } from '../call/call.ts';
import { endUnclaimed } from '../call/in-session.ts';
import { findSession, sessionOfName } from './find-session.ts';
import { answer, defineTool, languageInput, type Tool } from './tool.ts';

const name = clientKeySchema
  .refine(isSharedKey, 'must not begin with mcp:')
  .describe('A name that other clients and people can use for the same session');

const nameOrId = clientKeySchema.describe('A name, or an id such as ses_…');

const sessionOutput = z.object({
  sessionId: z.string(),
  name: z.string().nullable(),
  status: z.string(),
  language: z.string(),
  network: z.string(),
  isCurrent: z.boolean().describe('Whether the other tools work in this session'),
});

const shown = ({ mcp }: Pick<Call, 'mcp'>, { id, clientKey, status, language, network }: Session) => ({
  sessionId: id,
  name: isSharedKey(clientKey) ? clientKey : null,
  status,
  language,
  network,
  isCurrent: mcp.sessionId === id,
});

const line = ({ sessionId, name, status, language, isCurrent }: ReturnType<typeof shown>): string =>
  `${isCurrent ? '* ' : '  '}${sessionId}${name ? ` "${name}"` : ''}: ${status}, ${language}`;

/** Makes a session the one in which the other tools work. */
async function choose(call: Call, session: Session) {
  const { verbs, mcp } = call;
  if ((await verbs.chooseSession({ mcp, sessionId: session.id })) !== session.id) {
    throw new Problem('session-not-active', { detail: 'another call has switched to another session just now' });
  }
  const chosen = shown({ mcp: { ...mcp, sessionId: session.id } }, session);
  return answer(`The tools now work in session ${line(chosen).trim()}`, chosen);
}

const createTool = defineTool({
  name: 'create_session',
  title: 'Start a new session',
  description:
    'Starts a session with its own interpreters and files, in which the other tools then work. Not needed to begin: the first call of another tool starts one. Use it for a fresh start, or for other settings. With a name that a living session has, that session is used as it is.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.strictObject({
    name: name.optional(),
    language: languageInput.optional().describe('The language of get_context and exports by default; python'),
    network: networkSchema
      .optional()
      .describe('The network that code can reach; default: as little as the server offers'),
    profile: profileNameSchema.optional().describe("One of the operator's sets of image, resources and limits"),
  }),
  output: sessionOutput,
  async call(call, { name: clientKey, ...settings }) {
    const { caller, mcp, key: idempotencyKey } = call;
    const wish = { ...settings, ...(clientKey && { clientKey }), metadata: ownMetadata(mcp) };
    const { data: request, error } = createSessionSchema.safeParse(wish, { error: faultWords });
    if (error) throw invalidRequest(error);
    const session = await call.verbs.createSession({ caller, request, idempotencyKey });
    return await choose(call, session).catch((fault) => endUnclaimed(call, session, fault));
  },
});

const listTool = defineTool({
  name: 'list_sessions',
  title: 'List sessions',
  description: 'Lists the current session and those that this connection has started, at most 50.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.object({ sessions: z.array(sessionOutput) }),
  async call(call) {
    const { verbs, caller, mcp } = call;
    const { items } = await verbs.listSessions({ caller, metadata: ownMetadata(mcp), limit: 50 });
    const sessionId = mcp.sessionId ?? (await sessionOfName(call));
    const isListed = items.some(({ id }) => id === sessionId);
    const current = sessionId && !isListed ? [await verbs.getSession({ caller, id: sessionId })] : [];
    const sessions = [...current, ...items].map((session) => shown({ mcp: { ...mcp, sessionId } }, session));
    return answer(sessions.map(line).join('\n') || '(none yet)', { sessions });
  },
});

const useTool = defineTool({
  name: 'use_session',
  title: 'Switch to a session',
  description:
    'Makes another session the one in which the other tools work, by its name or id. Use it to join a session that a person shares by name, or to go back to an earlier one.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ session: nameOrId }),
  output: sessionOutput,
  call: async (call, { session }) => await choose(call, await findSession(call, session)),
});

const endTool = defineTool({
  name: 'end_session',
  title: 'End a session',
  description:
    'Ends a session that this connection has started: its interpreters stop, and its variables and files are gone. Only for work that is finished. Default: the current session.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ session: nameOrId.optional() }),
  output: sessionOutput,
  async call(call, { session: wanted }) {
    const { verbs, caller, mcp } = call;
    const asked = wanted ?? mcp.sessionId;
    if (asked === null) throw new Problem('not-found', { detail: 'no session has begun' });
    const session = await findSession(call, asked);
    if (!isOwn(mcp, session)) {
      const detail = `session ${session.id} was not started by this connection: leave it with use_session instead`;
      throw new Problem('forbidden', { detail });
    }
    const ended = await verbs.endSession({ caller, id: session.id, to: 'completed' });
    if (mcp.sessionId === session.id) await verbs.chooseSession({ mcp, sessionId: null });
    return answer(`Ended session ${session.id}`, shown({ mcp: { ...mcp, sessionId: null } }, ended));
  },
});

export const sessionTools: readonly Tool[] = [createTool, listTool, useTool, endTool];
