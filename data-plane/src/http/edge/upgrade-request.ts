import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EdgeApp } from './edge.ts';

/** Takes a connection over, with what came after the head of its request. */
export type TakeConnection = (incoming: IncomingMessage, connection: Duplex, early: Buffer) => void;

/** A request that asks for another protocol. An operation that speaks it calls `accept`, and its answer is not sent. */
export type Upgrade = { accept(take: TakeConnection): void };

/** Whether a request asks for a WebSocket. One with a body is answered as if it did not (RFC 6455, 4.1). */
export const wantsWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined;

/** Routes a request that asks for a WebSocket as any other one. A refusal is answered as one, and ends the connection. Never rejects. */
export async function upgradeRequest(
  app: Pick<EdgeApp, 'fetch'>,
  ...[incoming, connection, early]: Parameters<TakeConnection>
): Promise<void> {
  let taken: TakeConnection | null = null;
  const upgrade: Upgrade = {
    accept(take) {
      taken = take;
    },
  };
  connection.on('error', () => {});
  try {
    const url = new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? 'localhost'}`);
    const request = new Request(url, { headers: headersOf(incoming) });
    const answer = await app.fetch(request, { upgrade });
    // Assigned within a call, which the compiler does not see.
    const take = taken as TakeConnection | null;
    if (take && !connection.destroyed) take(incoming, connection, early);
    else await refuse(connection, answer);
  } catch {
    connection.destroy();
  }
}

function headersOf({ rawHeaders }: IncomingMessage): [string, string][] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, i) => [
    rawHeaders[2 * i] ?? '',
    rawHeaders[2 * i + 1] ?? '',
  ]);
}

async function refuse(connection: Duplex, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n${headers}`;
  connection.end(
    Buffer.concat([Buffer.from(`${head}content-length: ${body.length}\r\nconnection: close\r\n\r\n`), body]),
  );
}
