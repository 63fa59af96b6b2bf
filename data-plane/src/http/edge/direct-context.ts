import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { PlainRequest, SocketAnswer } from '@holdfast/connections';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { EdgeContext, EdgeEnv } from './edge.ts';

/** Requests that are answered without hono. */
export type DirectAnswers = {
  /** Answers the request, or returns false and leaves it to hono. */
  answerDirectly(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  /** Reads a chunk of a connection as `readPlainRequest`, if this answers such requests. */
  readPlain(chunk: Buffer): PlainRequest | 'part' | null;
  /** Answers such a request on the connection itself. Never rejects. */
  answerPlain(request: PlainRequest, answer: SocketAnswer): Promise<void>;
};

type Variables = EdgeEnv['Variables'];

/**
 * As much of hono's context as a step needs that is answered as JSON. In a profile of short steps, hono and its adapter took 23 of the
 * data-plane's 610 µs for each.
 */
class DirectContext {
  readonly env: { incoming: IncomingMessage; outgoing: ServerResponse };
  readonly req: DirectRequest;
  error: Error | undefined;
  private readonly variables: Partial<Variables> = {};

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, req: DirectRequest) {
    this.env = { incoming, outgoing };
    this.req = req;
  }

  get<Name extends keyof Variables>(name: Name): Variables[Name] | undefined {
    return this.variables[name];
  }

  set<Name extends keyof Variables>(name: Name, value: Variables[Name]): void {
    this.variables[name] = value;
  }

  body(text: string, status: number, headers: OutgoingHttpHeaders): Response {
    const { outgoing } = this.env;
    outgoing.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) });
    outgoing.end(text);
    return RESPONSE_ALREADY_SENT;
  }
}

type DirectRequest = {
  readonly method: string;
  readonly url: string;
  /** @param name in lower case */
  header(name: string): string | undefined;
};

export function directContext(incoming: IncomingMessage, outgoing: ServerResponse): EdgeContext {
  const { method = '', url = '', headers } = incoming;
  const header = (name: string) => headers[name] as string | undefined;
  return new DirectContext(incoming, outgoing, { method, url, header }) as unknown as EdgeContext;
}

/** The same for a request that Node's server has not seen. The answer has as much of Node's own as answers to steps use. */
export function plainContext({ path, headers, body }: PlainRequest, answer: SocketAnswer): EdgeContext {
  const req = { method: 'POST', url: path, header: (name: string) => headers.get(name) };
  const incoming = { httpVersion: '1.1', complete: true, errored: null, read: () => body };
  return new DirectContext(incoming as never, answer as never, req) as unknown as EdgeContext;
}
