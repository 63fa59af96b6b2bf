import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestDatabase } from './postgres.ts';

type Flow = { client: Socket; server: Socket };

/** A connection on which a statement was sent, and whose answers do not arrive. */
export type HeldAnswer = {
  /** Resolves when the statement has been sent to the database. */
  sent: Promise<void>;
  /** Resolves when the database has answered, so that the statement has had its effect. */
  answered: Promise<void>;
  /** Lets the answer arrive. */
  release(): void;
  /** Breaks the connection, so that the answer never arrives. */
  cut(): void;
};

/** A network between a replica and a test's database on which single answers are late or get lost. */
export async function startLateAnswers({ address }: Pick<TestDatabase, 'address'>) {
  if ('url' in address) throw new Error('this needs the socket of the server');
  const flows = new Set<Flow>();
  let waiting: { text: string; hold(flow: Flow): Promise<void> } | null = null;
  const listener = createServer((client) => {
    const flow = { client, server: connect(`${address.host}/.s.PGSQL.${address.port}`) };
    flows.add(flow);
    const { server } = flow;
    let answer: (bytes: Buffer) => void = (bytes) => client.write(bytes);
    let isDescribed = false;
    client.on('data', (bytes) => {
      // The driver first has a new statement described, and then sends it with its values.
      if (isDescribed && waiting) {
        const held: Buffer[] = [];
        const { hold } = waiting;
        waiting = null;
        isDescribed = false;
        const answered = Promise.withResolvers<void>();
        answer = (late) => {
          held.push(late);
          answered.resolve();
        };
        hold({ client, server }).then(() => {
          answer = (late) => client.write(late);
          for (const late of held) client.write(late);
        });
        answered.promise.then(() => client.emit('answered'));
      }
      if (waiting && bytes.includes(waiting.text)) isDescribed = true;
      server.write(bytes);
    });
    server.on('data', (bytes) => answer(bytes));
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('error', () => {});
      from.on('close', () => {
        to.destroy();
        flows.delete(flow);
      });
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    url: `postgres://${address.user}:${address.password}@127.0.0.1:${port}/${address.database}`,

    /** Holds the answer to the next new statement that contains this text. */
    hold(text: string): HeldAnswer {
      const sent = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      let held: Flow | null = null;
      waiting = {
        text,
        hold(flow) {
          held = flow;
          flow.client.once('answered', answered.resolve);
          sent.resolve();
          return released.promise;
        },
      };
      return {
        sent: sent.promise,
        answered: answered.promise,
        release: () => released.resolve(),
        cut: () => held?.client.destroy(),
      };
    },

    async [Symbol.asyncDispose]() {
      listener.close();
      for (const { client, server } of flows) for (const side of [client, server]) side.destroy();
    },
  };
}
