import { expect, test } from 'vitest';
import { AgentError } from '../../agent/agent-error.ts';
import type { Route } from '../sandbox-routes.ts';
import { releaseHold } from './release-hold.ts';

/** An agent that fails with these errors, one for each call, and then answers. */
function createAgent(errors: AgentError[]) {
  const calls: string[] = [];
  const background: Promise<unknown>[] = [];
  return {
    calls,
    background,
    deps: {
      retryMs: 1,
      background: (work: Promise<unknown>) => void background.push(work),
      agents: {
        async call(_route: unknown, { method, path }: { method: string; path: string }) {
          calls.push(`${method} ${path}`);
          const error = errors.shift();
          if (error) throw error;
          return undefined as never;
        },
      },
    },
  };
}

const held = { route: {} as Route, hold: '/v1/hold?by=1' };

test('a hold is released again until the agent answers', async () => {
  const agent = createAgent([new AgentError('cut', 'no answer'), new AgentError('undelivered', 'no connection')]);
  await releaseHold(agent.deps, held);
  expect(agent.calls).toHaveLength(1);
  await Promise.all(agent.background);
  expect(agent.calls).toEqual(Array(3).fill('DELETE /v1/hold?by=1'));
});

test.each([
  ['answers', []],
  ['refuses', [new AgentError('refused', 'the session has ended', { slug: 'session-ended' })]],
])('a hold is released once if the agent %s', async (_title, errors) => {
  const agent = createAgent(errors);
  await releaseHold(agent.deps, held);
  expect(agent.calls).toHaveLength(1);
  expect(agent.background).toHaveLength(0);
});
