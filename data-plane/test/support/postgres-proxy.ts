import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestDatabase } from './postgres.ts';

export type PostgresProxy = Awaited<ReturnType<typeof startPostgresProxy>>;

type Flow = { client: Socket; server: Socket };

/** A network between a program and a test's database, with faults that are switched on and off. */
export async function startPostgresProxy({ address }: Pick<TestDatabase, 'address'>) {
  if ('url' in address) throw new Error('the proxy needs the socket of the server');
  const flows = new Set<Flow>();
  let isFrozen = false;
  let opened = 0;
  let sentBytes = 0;
  let fatalText: string | null = null;
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    opened += 1;
    const server = connect(`${address.host}/.s.PGSQL.${address.port}`);
    const flow = { client, server };
    flows.add(flow);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('error', () => {});
      from.on('data', (bytes) => {
        if (from === client) sentBytes += bytes.length;
        if (fatalText !== null && bytes.includes(fatalText)) from.end();
        else to.write(bytes);
      });
      from.on('end', () => to.end());
      from.on('close', () => {
        to.destroy();
        flows.delete(flow);
      });
    }
    if (isFrozen) freeze(flow);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    url: `postgres://${address.user}:${address.password}@127.0.0.1:${port}/${address.database}`,
    /** The number of connections that are open. */
    get open() {
      return flows.size;
    },
    /** The number of connections that were ever made. */
    get opened() {
      return opened;
    },
    /** The bytes that came from clients. */
    get sentBytes() {
      return sentBytes;
    },
    /** Lets nothing through, in either direction, as if every packet was lost; also on later connections. */
    freeze() {
      isFrozen = true;
      for (const flow of flows) freeze(flow);
    },
    /** Lets nothing through on the connections of now. */
    freezeOpen() {
      for (const flow of flows) freeze(flow);
    },
    thaw() {
      isFrozen = false;
      for (const { client, server } of flows) for (const side of [client, server]) side.resume();
    },
    /** Ends each connection that sends a statement with this text, instead of passing the statement on. */
    cutAt(text: string) {
      fatalText = text;
    },
    /** Ends the connections of now with a reset, as the end of a program with unread bytes does. */
    reset() {
      for (const { client } of flows) client.resetAndDestroy();
    },
    /** Refuses new connections. Those of now stay. */
    refuse() {
      listener.close();
    },
    async accept() {
      listener.listen(port, '127.0.0.1');
      await once(listener, 'listening');
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const { client, server } of flows) for (const side of [client, server]) side.destroy();
    },
  };
}

/** A socket that is not read takes the bytes that fit into the buffers of the system, as a lost peer's would. */
function freeze({ client, server }: Flow): void {
  for (const side of [client, server]) side.pause();
}
