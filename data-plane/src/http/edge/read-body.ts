import type { IncomingMessage } from 'node:http';
import { inexactNumber, inexactNumberIn, Problem } from '@holdfast/specs/public';
import type { Edge, EdgeContext } from './edge.ts';
import { malformedAt } from './malformed-at.ts';

/**
 * The JSON value in the body of a request; undefined without a body.
 * `isExact`: a number that would be rounded is refused.
 * @throws Problem `unsupported-media-type`, `body-too-large`, or `invalid-request` if it is not UTF-8, not JSON, or too slow
 */
export async function readBody(
  edge: Pick<Edge, 'bodyBytesMax' | 'bodyMs'>,
  c: EdgeContext,
  { isExact = false } = {},
): Promise<unknown> {
  const bytes = await collect(edge, c, c.env?.incoming ?? c.req.raw.body ?? []);
  if (bytes.length === 0) return undefined;
  refuseOtherTypes(c);
  return parse(bytes, { isExact });
}

/** Stops reading at the limit. A body that announces more is not read at all. */
async function collect(
  { bodyBytesMax: bytesMax, bodyMs }: Pick<Edge, 'bodyBytesMax' | 'bodyMs'>,
  c: EdgeContext,
  source: IncomingMessage | ReadableStream<Uint8Array> | Uint8Array[],
): Promise<Uint8Array> {
  const announced = Number(c.req.header('content-length') ?? 0);
  if (announced > bytesMax) throw tooLarge(bytesMax);
  if (announced > 0) refuseOtherTypes(c);
  if ('httpVersion' in source && source.complete && !source.errored) return takeArrived(source, bytesMax);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const onBytes = (chunk: Uint8Array) => {
    length += chunk.length;
    if (length > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  };
  if ('httpVersion' in source) await drainInto(source, { onBytes, ms: bodyMs });
  else for await (const chunk of source) onBytes(chunk);
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, length);
}

/** The body of a request that has come as a whole, as most have by the time that their key was checked. */
function takeArrived(incoming: IncomingMessage, bytesMax: number): Uint8Array {
  const bytes: Buffer | null = incoming.read();
  if (bytes && bytes.length > bytesMax) throw tooLarge(bytesMax);
  return bytes ?? nothing;
}

const nothing = Buffer.alloc(0);

/** Reads by events because an iterator that stops early destroys the socket, and the refusal has to go out on it. */
function drainInto(
  incoming: IncomingMessage,
  { onBytes, ms }: { onBytes: (chunk: Uint8Array) => void; ms: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (detail: string) => settle(new Problem('invalid-request', { detail }));
    const late = setTimeout(() => refuse(`the body took longer than ${ms} ms`), ms);
    const settle = (error?: unknown) => {
      clearTimeout(late);
      incoming.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
      if (error) reject(error);
      else resolve();
    };
    const onData = (chunk: Uint8Array) => {
      try {
        onBytes(chunk);
      } catch (error) {
        settle(error);
      }
    };
    const onEnd = () => settle();
    const onCut = () => refuse('the body was cut off');
    incoming.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
    if (incoming.readableEnded) onEnd();
  });
}

function refuseOtherTypes(c: EdgeContext): void {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json *(?:; *charset="?utf-8"? *)?$/i.test(type)) {
    throw new Problem('unsupported-media-type', { detail: 'send Content-Type: application/json' });
  }
  const encoding = c.req.header('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new Problem('unsupported-media-type', { detail: 'send the body without a Content-Encoding' });
  }
}

/** The same for a body that has come as a whole, at once; undefined if it is not valid, so that `readBody` has to say why. */
export function readWholeBody({ bodyBytesMax }: Pick<Edge, 'bodyBytesMax'>, bytes: Uint8Array): unknown {
  if (bytes.length > bodyBytesMax) return undefined;
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Uint8Array, { isExact }: { isExact: boolean }): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformed('the body is not valid UTF-8');
  }
  const value = parseText(text);
  const inexact = isExact ? inexactNumberIn(text) : null;
  if (inexact !== null) throw malformed(inexactNumber(inexact));
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(`the body is not valid JSON: ${malformedAt(text) ?? 'it is nested too deeply'}`);
  }
}

const malformed = (detail: string) => new Problem('invalid-request', { detail, errors: [{ pointer: '', detail }] });
const tooLarge = (bytesMax: number) => new Problem('body-too-large', { detail: `the limit is ${bytesMax} bytes` });
