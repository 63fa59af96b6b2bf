import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Problem } from '@holdfast/specs/public';
import { answerHeaders } from './answer-headers.ts';
import type { Framing } from './check-request.ts';
import { trailersOf } from './hop-by-hop.ts';
import { joinUpgrade } from './join-upgrade.ts';

/** How long nothing may pass, either way. */
const idleMs = 10 * 60_000;
const headBytesMax = 64 * 1024;

/** A connection to the server of a port, and a limit for its silence. */
export type Connected = Duplex & { setTimeout(ms: number, onTimeout: () => void): unknown };

export type Forward = {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  connection: Connected;
  path: string;
  headers: string[];
  framing: Framing;
  cookieNames: readonly string[];
  /** The bytes that came behind the head of a request for an upgrade. */
  early: Buffer;
};

/**
 * Asks the server of a port and passes its answer on, both bodies as they come and no faster than they are taken. Resolves when the answer
 * or the upgraded connection is over.
 * @throws Problem 502 if nothing of an answer was passed on
 */
export function forward(visit: Forward): Promise<void> {
  const { incoming, outgoing, connection, path, headers, framing } = visit;
  return new Promise((resolve, reject) => {
    const outbound = request({
      method: incoming.method,
      path,
      headers,
      createConnection: () => connection as unknown as Socket,
      maxHeaderSize: headBytesMax,
    });
    let isUpgraded = false;
    const fail = (cause?: Error) => {
      connection.destroy();
      // The visitor's connection ends with it, and so does the visit.
      if (isUpgraded) return;
      if (!outgoing.headersSent) return reject(noAnswer(cause));
      // The visitor must not take what has come for the whole answer.
      outgoing.destroy();
      resolve();
    };
    connection.setTimeout(idleMs, () => fail(new Error(`nothing has passed for ${idleMs} ms`)));
    outbound.on('error', fail);
    let isAnswered = false;
    outbound.once('close', () => isAnswered || fail());
    outbound.once('response', (answer) => {
      isAnswered = true;
      try {
        passOn(answer, visit, { resolve, fail });
      } catch (error) {
        fail(error as Error);
      }
    });
    outbound.once('upgrade', (answer, _, late) => {
      isAnswered = true;
      isUpgraded = framing.isUpgrade;
      if (isUpgraded) joinUpgrade({ ...visit, answer, late }).then(resolve);
      else fail(new Error('the server changes the protocol unasked'));
    });
    sendBody(outbound, incoming, framing);
  });
}

function sendBody(outbound: ClientRequest, incoming: IncomingMessage, { hasBody }: Framing): void {
  if (!hasBody) {
    outbound.end();
    return;
  }
  incoming.pipe(outbound, { end: false });
  incoming.once('end', () => {
    outbound.addTrailers(trailersOf(incoming.rawTrailers));
    outbound.end();
  });
}

type Ends = { resolve(): void; fail(cause?: Error): void };

function passOn(answer: IncomingMessage, { outgoing, cookieNames }: Forward, { resolve, fail }: Ends): void {
  const { statusCode: status = 0, rawHeaders } = answer;
  if (status < 200 || status > 599) throw new Error(`the server answers with the status ${status}`);
  outgoing.writeHead(status, answerHeaders(rawHeaders, cookieNames));
  outgoing.flushHeaders();
  outgoing.once('close', resolve);
  answer.once('error', fail);
  answer.pipe(outgoing, { end: false });
  answer.once('end', () => {
    outgoing.addTrailers(trailersOf(answer.rawTrailers));
    outgoing.end();
  });
}

const noAnswer = (cause: Error | undefined) =>
  new Problem('sandbox-failed', { detail: 'the server of this port gave no valid answer', cause });
