import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { ByteRange } from '../contents.ts';
import type { Bucket } from './bucket.ts';

/** The size of one request, so that none waits for a slow reader and none is left open by a reader that stops. */
const requestBytes = 4 * 1024 * 1024;

export async function* readObject(
  bucket: Bucket,
  { key, range: { start, end } }: { key: string; range: ByteRange },
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = start; at < end; at += requestBytes) {
    yield await readPart(bucket, { key, range: { start: at, end: Math.min(end, at + requestBytes) } });
  }
}

async function readPart(
  bucket: Bucket,
  { key, range: { start, end } }: { key: string; range: ByteRange },
): Promise<Uint8Array> {
  const { Body, ContentLength } = await bucket.send(
    new GetObjectCommand({ ...bucket.at(key), Range: `bytes=${start}-${end - 1}` }),
  );
  // A server that ignores the range would send the whole object.
  if (ContentLength !== end - start) await Body?.transformToWebStream().cancel();
  else if (Body) return await Body.transformToByteArray();
  throw new Error(`the object ${key} ends early: ${ContentLength} of ${end - start} bytes from ${start} on`);
}
