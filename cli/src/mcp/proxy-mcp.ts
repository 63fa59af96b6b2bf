import { setTimeout as delay } from 'node:timers/promises';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { readLines } from './read-lines.ts';
import { lineBytesMax, readMessage } from './read-message.ts';
import { failed, refused, unreachable } from './refusals.ts';
import { AnswerLost, createServerConnection, type ServerSession } from './server-connection.ts';

type Proxy = Parameters<typeof createServerConnection>[0] & {
  /** Ends the proxy. So does the end of stdin. */
  signal: AbortSignal;
};

/** A client that has closed stdin still gets the answers that come within this time. */
const lastAnswersMs = 30_000;
/** The server ends the session by itself if it does not hear of the end of its client. */
const goodbyeMs = 3000;

/** Passes the messages of an MCP client on stdin to a server, and its messages to stdout, until the client ends. */
export async function proxyMcp({ endpoint, apiKey, note, signal }: Proxy): Promise<void> {
  const server = createServerConnection({ endpoint, apiKey, note });
  const open = new Set<Promise<void>>();
  let greeting: JSONRPCRequest | null = null;
  /** The session, from the first message of the client on: the others wait for its answer. A script sends all its lines at once. */
  let session: Promise<ServerSession> = Promise.resolve({});

  const say = (message: object) => void process.stdout.write(`${JSON.stringify(message)}\n`);

  async function greet(request: JSONRPCRequest): Promise<{ answer: JSONRPCMessage; opened: ServerSession }> {
    const { answer, sessionId } = await server.request({}, request, say);
    const version = versionIn(answer);
    return { answer, opened: { ...(sessionId && { sessionId }), ...(version && { version }) } };
  }

  /** The server forgets clients that are silent for long. The client cannot begin anew in the middle of its work, but this can. */
  async function reopen(first: JSONRPCRequest): Promise<ServerSession> {
    const { opened } = await greet(first);
    await server.notify(opened, { jsonrpc: '2.0', method: 'notifications/initialized' });
    return opened;
  }

  async function pass(message: JSONRPCMessage): Promise<void> {
    if (!isRequest(message)) return await session.then((used) => server.notify(used, message));
    if (message.method === 'initialize') {
      greeting = message;
      const greeted = greet(message);
      session = greeted.then(({ opened }) => opened).catch(() => ({}));
      return say(await greeted.then(({ answer }) => answer).catch((error) => answerTo(message, error)));
    }
    const pending = session;
    const used = await pending;
    const { answer } = await server.request(used, message, say).catch(async (error) => ({
      answer:
        isForgotten(error) && greeting
          ? await afterReopening(pending, greeting, { message, error })
          : answerTo(message, error),
    }));
    say(answer);
  }

  /** Requests that find out at the same time, or later, share one new session. */
  async function afterReopening(
    pending: Promise<ServerSession>,
    first: JSONRPCRequest,
    { message, error }: { message: JSONRPCRequest; error: Error },
  ): Promise<JSONRPCMessage> {
    try {
      if (session === pending) {
        session = reopen(first);
        // The next request tries again.
        session.catch(() => {
          session = pending;
        });
      }
      await session;
    } catch (again) {
      return answerTo(message, again);
    }
    const lost = endpoint.searchParams.has('session') ? '' : ', and with it its variables and files';
    if (error instanceof AnswerLost) return failed(message, `${unknownEnd}. The connection has ended${lost}.`);
    return failed(message, `${forgotten}${lost}: call again.`);
  }

  const answerTo = (message: JSONRPCRequest, error: unknown): JSONRPCMessage => {
    if (error instanceof AnswerLost) return failed(message, `${unknownEnd}: look before you repeat it.`);
    return error instanceof StreamableHTTPError
      ? refused(message, error)
      : failed(message, unreachable(endpoint, error));
  };

  function take(line: string | null): void {
    const [message, fault] = readMessage(line);
    if (message === null) {
      say(fault);
      return;
    }
    const passing = pass(message)
      .catch((error) => note(String(error)))
      .finally(() => open.delete(passing));
    open.add(passing);
  }

  signal.addEventListener('abort', () => process.stdin.destroy(), { once: true });
  try {
    for await (const line of readLines(process.stdin, { bytesMax: lineBytesMax })) if (line !== '') take(line);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await atMost(lastAnswersMs, Promise.all(open), signal);
  const last = await session.catch(() => ({}));
  await atMost(
    goodbyeMs,
    server.end(last).catch(() => {}),
  );
  await server.close();
}

/** Waits for so long at most, or until the signal aborts. */
async function atMost(ms: number, work: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  const over = new AbortController();
  const stop = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
  await Promise.race([work, delay(ms, undefined, { signal: stop }).catch(() => {})]);
  over.abort();
}

const forgotten = 'Nothing was done, because the connection had ended';
const unknownEnd = 'The connection was lost before the answer, and nothing more is known of this call';

/** Whether the server does not know the session any more. */
const isForgotten = (error: unknown) =>
  (error instanceof StreamableHTTPError || error instanceof AnswerLost) && error.code === 404;

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => 'method' in message && 'id' in message;

/** The version that the answer to `initialize` agrees on. */
function versionIn(message: JSONRPCMessage): string | undefined {
  const version = 'result' in message ? message.result.protocolVersion : undefined;
  return typeof version === 'string' ? version : undefined;
}
