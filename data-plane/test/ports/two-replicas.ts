import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenedPort } from '@holdfast/specs/public';
import { startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { client } from '../support/start-holdfast.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';

export const firstKey = 'the-first-key-of-the-deployment-0123456789';

export type TwoReplicas = Awaited<ReturnType<typeof startTwoReplicas>>;

/** Two replicas of one deployment with a session, whose sandbox has the loopback of this machine. */
export async function startTwoReplicas(env: Record<string, string> = {}) {
  const [fake, database] = await Promise.all([startFakeKubernetes(), createTestDatabase()]);
  const given = {
    DATABASE_URL: database.url,
    HOLDFAST_BOOTSTRAP_API_KEY: firstKey,
    HOLDFAST_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...env,
  };
  const start = () => startReplicaOnKubernetes(fake, given);
  const [one, other] = await Promise.all([start(), start()]);
  const host = client(one.url, { authorization: `Bearer ${firstKey}` });
  const session = await host.createSession();

  return {
    database,
    one,
    other,
    host,
    session,

    /** Opens a port and returns what the API says, with the host name of its address. */
    async open(body: object, { sessionId = session.id, query = '' } = {}): Promise<OpenedPort & { host: string }> {
      const path = `/v1/sessions/${sessionId}/ports${query}`;
      const answer = await host.request('POST', path, body);
      if (answer.status !== 201) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
      return { ...answer.body, host: new URL(answer.body.url).host };
    },

    async [Symbol.asyncDispose]() {
      await Promise.all([one, other].map((replica) => replica[Symbol.asyncDispose]()));
      await database.drop();
      await fake.close();
    },
  };
}

/** A server of a sandbox, on this machine's loopback, until the returned function is called. */
export async function serveInSandbox(
  listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Promise<{ port: number; server: Server; close: () => void }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, server, close };
}
