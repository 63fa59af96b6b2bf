import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

/** The message that asks a Postgres for TLS. It has no content. */
export const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Everything that goes to a server passes here and is kept. */
export async function startRecorder(server: NetConnectOpts) {
  const flows: Buffer[][] = [];
  const open = new Set<Socket>();
  let strips = false;
  const listener = createServer((client) => {
    const flow: Buffer[] = [];
    flows.push(flow);
    const strip = strips;
    const onward = connect(server);
    for (const [from, to] of [
      [client, onward],
      [onward, client],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => open.delete(from) && to.destroy());
    }
    client.on('data', (bytes: Buffer) => {
      flow.push(bytes);
      if (strip && bytes.equals(tlsRequest)) client.write('N');
      else onward.write(bytes);
    });
    onward.on('data', (bytes) => client.write(bytes));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    /** The bytes of each connection, in the order in which the connections were made. */
    sent: () => flows.map((flow) => Buffer.concat(flow)),
    /** From now on says on new connections that the server has no TLS, as an attacker in the network would. */
    strip() {
      strips = true;
    },
    /** Ends the connections of now. */
    cut() {
      for (const socket of open) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const socket of open) socket.destroy();
    },
  };
}
