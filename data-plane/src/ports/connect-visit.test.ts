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
    visits: { bySession: new Map(), byTenant: new Map(), count: 0 },
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
  expect(deps.visits).toEqual({ bySession: new Map(), byTenant: new Map(), count: 0 });
});

test('a connection that fails in the second sandbox too is explained as that in the first', async () => {
  const deps = dependencies(async () => {
    throw new AgentError('undelivered', 'connection refused');
  });
  deps.routes.cached = () => ({ sandboxUid: 'two' });
  const asked = { port, waitSeconds: 0, signal: new AbortController().signal };
  await expect(connectVisit(deps as unknown as ConnectDependencies, asked)).rejects.toMatchObject({
    slug: 'sandbox-unreachable',
  });
  expect(deps.hint).toHaveBeenCalledTimes(2);
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

test('a tenant, a session and a replica have limits of their own, and what ends counts no longer', async () => {
  const tunnels: Duplex[] = [];
  const deps = dependencies(async () => tunnels[tunnels.push(new Duplex({ read() {}, write() {} })) - 1] as Duplex);
  const signal = new AbortController().signal;
  const connect = (sessionId: string, tenant: string) =>
    connectVisit(deps as unknown as ConnectDependencies, {
      port: { ...(port as object), sessionId, tenant } as never,
      waitSeconds: 0,
      signal,
    });
  const fill = async (tenant: string, sessions: number) => {
    for (let at = 0; at < sessions * 128; at++) await connect(`ses_${tenant}_${at >> 7}`, tenant);
  };
  await fill('one', 1);
  await expect(connect('ses_one_0', 'one')).rejects.toThrow('a session has at most 128');
  await fill('two', 8);
  await expect(connect('ses_two_9', 'two')).rejects.toThrow('a tenant has at most 1024');
  for (const tenant of ['three', 'four']) await fill(tenant, 8);
  await fill('five', 7);
  await expect(connect('ses_six', 'six')).rejects.toThrow('the server has too many');
  await Promise.all(tunnels.map((tunnel) => once(tunnel.destroy(), 'close')));
  expect(deps.visits).toEqual({ bySession: new Map(), byTenant: new Map(), count: 0 });
});
