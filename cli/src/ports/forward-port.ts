import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  STATUS_CODES,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export type ForwardPort = {
  /** The port of this machine; 0: any that is free. */
  port: number;
  /** The address of the opened port. */
  to: string;
  server: { url: string; apiKey?: string | undefined };
};

/** Listens on the loopback and passes requests and WebSockets on to an opened port, with the key that it asks for. */
export async function forwardPort({ port, to, server: { url, apiKey } }: ForwardPort) {
  const target = new URL(to);
  const request = target.protocol === 'https:' ? requestHttps : requestHttp;
  const place = placeOf(target, new URL(url));
  const send = ({ method, url: path, headers }: IncomingMessage, local: string) =>
    request({ ...place, method, path, headers: forwardedHeaders(headers, { target, local, apiKey }) });

  const listener = createServer((incoming, answer) => {
    if (!isPath(incoming)) return void answer.writeHead(400).end();
    const local = `http://${incoming.headers.host ?? '127.0.0.1'}`;
    const outgoing = send(incoming, local);
    outgoing.on('response', (response) => {
      answer.writeHead(
        response.statusCode ?? 502,
        response.statusMessage,
        answeredHeaders(response.headers, target, local),
      );
      response.pipe(answer);
      response.on('error', () => answer.destroy());
    });
    outgoing.on('error', ({ message }) => {
      if (answer.headersSent) return answer.destroy();
      answer.writeHead(502, { 'Content-Type': 'text/plain' }).end(`holdfast: ${message}\n`);
    });
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  listener.on('upgrade', (incoming, socket, head) => {
    if (!isPath(incoming)) return void socket.destroy();
    const outgoing = send(incoming, `http://${incoming.headers.host ?? '127.0.0.1'}`);
    outgoing.on('upgrade', (response, far, farHead) => {
      socket.write(headOf(response));
      join(socket, far, farHead);
      far.write(head);
    });
    outgoing.on('response', (response) => {
      socket.write(headOf(response));
      response.pipe(socket);
    });
    outgoing.on('error', () => socket.destroy());
    socket.on('error', () => outgoing.destroy());
    outgoing.end();
  });

  listener.listen(port, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close');
      listener.close();
      listener.closeAllConnections();
      await closed;
    },
  };
}

/** A whole address in the place of a path comes before `Host`, so it could lead a request with the key to any other place of the server. */
const isPath = ({ url }: IncomingMessage) => url?.startsWith('/') ?? false;

/** Names below `localhost` lead to this machine, and not every resolver knows that: the server itself is there. */
function placeOf(target: URL, server: URL) {
  const { hostname, port, protocol } = target.hostname.endsWith('.localhost') ? server : target;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port || (protocol === 'https:' ? 443 : 80) };
}

type Forwarded = { target: URL; local: string; apiKey?: string | undefined };

/** A server in the sandbox compares `Origin` with `Host`, so both become those of its own address. */
function forwardedHeaders(headers: IncomingHttpHeaders, { target, local, apiKey }: Forwarded): IncomingHttpHeaders {
  return {
    ...headers,
    host: target.host,
    ...(headers.origin === local && { origin: target.origin }),
    ...(apiKey && { 'x-api-key': apiKey }),
  };
}

/** A redirect to its own address leads here. */
function answeredHeaders(headers: IncomingHttpHeaders, target: URL, local: string): IncomingHttpHeaders {
  const { location } = headers;
  if (!location?.startsWith(`${target.origin}/`)) return headers;
  return { ...headers, location: local + location.slice(target.origin.length) };
}

function headOf({ statusCode = 502, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`];
  for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function join(near: Duplex, far: Duplex, farHead: Buffer): void {
  near.write(farHead);
  near.pipe(far).pipe(near);
  near.on('error', () => far.destroy()).on('close', () => far.destroy());
  far.on('error', () => near.destroy()).on('close', () => near.destroy());
}
