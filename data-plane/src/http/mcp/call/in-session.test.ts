import { Problem, type Session } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import type { Call } from './call.ts';
import { inSession } from './in-session.ts';

/** A first call whose MCP session is deleted while the session is created, and the sessions that were ended. */
function deletedCall(sessionKey: string | null) {
  const ended: string[] = [];
  const created = {
    id: 'ses_1',
    clientKey: sessionKey ?? 'mcp:mcp_1',
    metadata: { mcp: 'mcp_1' },
  } as unknown as Session;
  const verbs = {
    createSession: async () => created,
    async chooseSession() {
      throw new Problem('not-found', { detail: 'the MCP session has ended' });
    },
    async endSession({ id }: { id: string }) {
      ended.push(id);
    },
  };
  const mcp = { id: 'mcp_1', clientName: null, sessionKey, sessionId: null };
  return { call: { verbs, mcp, place: { sessionId: null } } as unknown as Call, ended };
}

test.each([
  ['of its own is ended', null, ['ses_1']],
  ['with a name lives on', 'notebook', []],
] as const)('if an MCP session is deleted during its first call, a session %s', async (_, sessionKey, left) => {
  const { call, ended } = deletedCall(sessionKey);
  let isDone = false;
  const working = inSession(call, async () => {
    isDone = true;
  });
  await expect(working).rejects.toThrow(/the MCP session has ended/);
  expect([ended, isDone]).toEqual([left, false]);
});
