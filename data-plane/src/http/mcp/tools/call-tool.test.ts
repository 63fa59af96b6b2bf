import { Problem } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import type { Call } from '../call/call.ts';
import { callTool } from './call-tool.ts';

test('tells a model when to try again', async () => {
  const listSessions = async () => {
    throw new Problem('quota-exceeded', { detail: 'too many sessions', retryAfterSeconds: 7 });
  };
  const call = { verbs: { listSessions }, mcp: { id: 'mcp_1' } } as unknown as Call;
  const { content, isError } = await callTool(call, { name: 'list_sessions', given: {} });
  expect(isError).toBe(true);
  expect(content).toMatchObject([{ text: expect.stringMatching(/too many sessions\nTry again in 7 s\.$/) }]);
});
