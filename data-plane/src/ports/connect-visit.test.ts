import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { AgentError } from '../agent/agent-error.ts';
import { type ConnectDependencies, connectVisit } from './connect-visit.ts';

const port = { id: 'prt_1', sessionId: 'ses_1', tenant: 'default', port: 8000 } as never;

function dependencies(openTunnel: () => Promise<Duplex>) {
  const route = { sandboxUid: 'one' };
  return {
    agents: { openTunnel },
    routes: { resolve: () => route, refresh: vi.fn(async () => route), cached: () => route },
    hint: vi.fn(),
    traffic: {},
    visits: { bySession: new Map(), count: 0 },
    refuseOwnPort: () => {},
  };
}

test('a visitor that leaves while its connection is made leads to no check of the sandbox', async () => {
  const deps = dependencies(async () => {
    throw new AgentError('cut', 'the request was aborted');
  });
  const asked = { port, waitSeconds: 60, signal: AbortSignal.abort() };
  await expect(connectVisit(deps as unknown as ConnectDependencies, asked)).rejects.toThrow('aborted');
  expect(deps.routes.refresh).not.toHaveBeenCalled();
  expect(deps.hint).not.toHaveBeenCalled();
  expect(deps.visits).toEqual({ bySession: new Map(), count: 0 });
});

test('a connection that is closed before its visit begins is not counted', async () => {
  const deps = dependencies(async () => {
    const tunnel = new Duplex({ read() {} }).destroy();
    await once(tunnel, 'close');
    return tunnel;
  });
  await connectVisit(deps as unknown as ConnectDependencies, {
    port,
    waitSeconds: 0,
    signal: new AbortController().signal,
  });
  expect(deps.visits.count).toBe(0);
});
