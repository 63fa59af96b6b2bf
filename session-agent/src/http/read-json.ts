import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { faultWords, invalidRequest, Problem } from '@holdfast/specs/public';
import type { z } from 'zod';

const mebibyte = 1024 * 1024;
export const stepBodyBytesMax = 8 * mebibyte;
const bodyBytesMax = mebibyte;
const jsonType = 'application/json';

/**
 * Reads the body of a request as JSON and parses it by its schema.
 * @throws Problem `unsupported-media-type`, `body-too-large`, or `invalid-request` with all faults
 */
export async function readJson<Schema extends z.ZodType>(
  incoming: IncomingMessage,
  schema: Schema,
  bytesMax = bodyBytesMax,
): Promise<z.infer<Schema>> {
  return parseBy(schema, await readValue(incoming, bytesMax));
}

/** @throws Problem `invalid-request` with all faults */
export function parseBy<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value, { error: faultWords });
  if (!parsed.success) throw invalidRequest(parsed.error);
  return parsed.data;
}

/**
 * Reads the body of a request as JSON, not yet checked.
 * @throws Problem as `readJson` does
 */
export async function readValue(incoming: IncomingMessage, bytesMax: number): Promise<unknown> {
  const type = incoming.headers['content-type'] ?? '';
  if (type !== jsonType && !/^application\/json *(;|$)/i.test(type)) throw new Problem('unsupported-media-type');
  return parseJson(await readBytes(incoming, bytesMax));
}

/**
 * Reads the body of a request.
 * @throws Problem `body-too-large`, or `invalid-request` if it is cut off
 */
export async function readBytes(incoming: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const body = await receive(incoming, bytesMax);
  if (body.length > bytesMax) throw tooLarge(bytesMax);
  return body;
}

export const tooLarge = (bytesMax: number) => new Problem('body-too-large', { detail: `at most ${bytesMax} bytes` });

function receive(incoming: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) return chunks.push(chunk);
      chunks = [];
      reject(tooLarge(bytesMax));
    });
    incoming.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    incoming.on('error', () => reject(new Problem('invalid-request', { detail: 'the body was cut off' })));
  });
}

/** @throws Problem `invalid-request` */
export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Problem('invalid-request', { detail: 'the body is not UTF-8' });
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw new Problem('invalid-request', { detail: 'the body is not JSON', cause });
  }
}
