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
    const refused = refusalOf(incoming);
    if (refused) return void answer.writeHead(refused.status, textHeaders).end(refused.text);
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
      answer.writeHead(502, textHeaders).end(`holdfast: ${message}\n`);
    });
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  listener.on('upgrade', (incoming, socket, head) => {
    const refused = refusalOf(incoming);
    if (refused) return void socket.end(`${headOf(refused.status, Object.entries(textHeaders).flat())}${refused.text}`);
    const outgoing = send(incoming, `http://${incoming.headers.host ?? '127.0.0.1'}`);
    outgoing.on('upgrade', (response, far, farHead) => {
      socket.write(headOf(101, response.rawHeaders));
      join(socket, far, farHead);
      far.write(head);
    });
    outgoing.on('response', (response) => {
      socket.write(headOf(response.statusCode ?? 502, response.rawHeaders));
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

const textHeaders = { 'Content-Type': 'text/plain' };

function refusalOf({ url, headers: { host } }: IncomingMessage): { status: number; text: string } | null {
  // A whole address comes before `Host`, so it could lead a request with the key to any other place of the server.
  if (!url?.startsWith('/')) return { status: 400, text: 'holdfast: the request has no path\n' };
  // Any web site can give its own name the address of this machine, and then reads the answers as its own (DNS rebinding).
  if (host === undefined || isLocal(host)) return null;
  return { status: 403, text: 'holdfast: a forwarded port is called 127.0.0.1 or localhost\n' };
}

function isLocal(host: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return hostname === '127.0.0.1' || hostname === '[::1]' || /^(?:.+\.)?localhost$/.test(hostname);
}

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
function answeredHeaders(answered: IncomingHttpHeaders, target: URL, local: string): IncomingHttpHeaders {
  // The pieces of the body are those of this connection.
  const { 'transfer-encoding': _, ...headers } = answered;
  const { location } = headers;
  if (!location?.startsWith(`${target.origin}/`)) return headers;
  return { ...headers, location: local + location.slice(target.origin.length) };
}

/** The head of an answer to a request for another protocol. A refusal ends with its connection, since its body comes without the pieces it was sent in. */
function headOf(status: number, rawHeaders: readonly string[]): string {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (status === 101 || !ofConnection.test(rawHeaders[i] ?? '')) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  }
  if (status !== 101) lines.push('Connection: close');
  return `${lines.join('\r\n')}\r\n\r\n`;
}

const ofConnection = /^(?:connection|keep-alive|transfer-encoding|upgrade)$/i;

function join(near: Duplex, far: Duplex, farHead: Buffer): void {
  near.write(farHead);
  near.pipe(far).pipe(near);
  near.on('error', () => far.destroy()).on('close', () => far.destroy());
  far.on('error', () => near.destroy()).on('close', () => near.destroy());
}
