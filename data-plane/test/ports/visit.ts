import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

export type Visit = {
  /** The address of a replica. */
  at: string;
  host: string;
  method?: string;
  path?: string;
  headers?: Record<string, string | string[]> | string[];
  body?: string | Buffer | Readable;
};

export type Visited = {
  status: number;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  trailers: NodeJS.Dict<string>;
  body: Buffer;
  text: string;
};

/** Visits a port as a browser does that has resolved its host name to this replica. */
export async function visit({ at, host, method = 'GET', path = '/', headers = {}, body }: Visit): Promise<Visited> {
  const { hostname, port } = new URL(at);
  const given = Array.isArray(headers) ? ['Host', host, ...headers] : { Host: host, ...headers };
  return await new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path, headers: given, agent: false }, async (answer) => {
      try {
        const bytes = await buffer(answer);
        const { statusCode: status = 0, rawHeaders, trailers } = answer;
        const text = bytes.toString();
        resolve({ status, headers: answer.headers, rawHeaders, trailers, body: bytes, text });
      } catch (error) {
        reject(error);
      }
    });
    outgoing.once('error', reject);
    if (typeof body === 'object' && 'pipe' in body) body.pipe(outgoing);
    else outgoing.end(body);
  });
}

/** Writes bytes on a connection to a replica and resolves with everything that comes until it is closed. */
export async function exchange(at: string, bytes: string | Buffer): Promise<string> {
  const socket = connectTo(at);
  socket.write(bytes, 'latin1');
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of socket) chunks.push(chunk);
  } catch {
    // A connection that is cut has given what it had.
  }
  return Buffer.concat(chunks).toString('latin1');
}

function connectTo(at: string): Socket {
  const { hostname, port } = new URL(at);
  return connect({ host: hostname, port: Number(port || 80) });
}

type Upgraded = { status: number; head: string; socket: Socket; rest: Buffer };

/** Asks for a WebSocket and resolves with the connection, whatever the answer. */
export async function upgrade({
  at,
  host,
  path = '/',
  headers = {},
}: Omit<Visit, 'method' | 'body'>): Promise<Upgraded> {
  const socket = connectTo(at);
  const fields = {
    Host: host,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version': '13',
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  let received = Buffer.alloc(0);
  return await new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`closed after ${received.toString()}`)));
    socket.on('data', function take(chunk: Buffer) {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.off('data', take).pause();
      const head = received.subarray(0, end).toString('latin1');
      resolve({ status: Number(head.slice(9, 12)), head, socket, rest: received.subarray(end + 4) });
    });
  });
}
