import { Problem } from '@holdfast/specs/public';
import type { ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import { mayUse } from '../../../mcp-sessions/own-session.ts';
import { isLong } from '../../../reading/json-slices.ts';
import type { Call } from '../call/call.ts';
import { outputUri, parseResourceUri, type ResourceName } from '../call/resource-uri.ts';
import { followToEnd } from '../steps/follow-to-end.ts';
import { readPart } from './read-part.ts';

type Reading = Pick<Call, 'verbs' | 'caller' | 'mcp' | 'wholeReads' | 'left'>;
type Named<Kind extends ResourceName['kind']> = Extract<ResourceName, { kind: Kind }>;
type Content = { bytes: Buffer; mimeType: string; nextUri?: string };

const fileBytesMax = 4 * 2 ** 20;
const outputBytesMax = 2 ** 20;

/**
 * Reads a resource, as text if it is UTF-8.
 * @throws Problem 404 if the URI names nothing that the client may read, 413 if it is too large, 429 if others are read
 */
export async function readResource(call: Reading, uri: string): Promise<ReadResourceResult> {
  const name = parseResourceUri(uri);
  if (!name) throw new Problem('not-found', { detail: `${uri.slice(0, 500)} is not the URI of a resource here` });
  const session = await call.verbs.getSession({ caller: call.caller, id: name.sessionId });
  if (!mayUse(call.mcp, session))
    throw new Problem('not-found', { detail: `session ${name.sessionId} does not exist` });
  await call.wholeReads.begin({ tenant: call.caller.tenant, signal: call.left });
  const { bytes, mimeType, nextUri } = await readNamed(call, name);
  const text = asText(bytes, mimeType);
  return {
    contents: [
      {
        uri,
        mimeType,
        ...(text === null ? { blob: bytes.toString('base64') } : { text }),
        ...(nextUri && { _meta: { 'holdfast/next': nextUri } }),
      },
    ],
  };
}

function readNamed(call: Reading, name: ResourceName): Promise<Content> {
  if (name.kind === 'artifact') return readArtifact(call, name);
  return name.kind === 'file' ? readWholeFile(call, name) : readStream(call, name);
}

async function readArtifact(
  { verbs, caller }: Reading,
  { sessionId, artifactId }: Named<'artifact'>,
): Promise<Content> {
  const { size, mimeType, read } = await verbs.openArtifact({ access: { caller }, sessionId, artifactId });
  if (size > fileBytesMax) throw tooLarge(size);
  const pieces: Uint8Array[] = [];
  for await (const piece of read({ start: 0, end: size })) pieces.push(piece);
  return { bytes: Buffer.concat(pieces), mimeType };
}

async function readWholeFile(call: Reading, { sessionId, path }: Named<'file'>): Promise<Content> {
  const { bytes, size, mimeType } = await readPart(call, { sessionId, path, offset: 0, length: fileBytesMax });
  if (size > bytes.length) throw tooLarge(size);
  return { bytes, mimeType };
}

const tooLarge = (size: number) =>
  new Problem('body-too-large', {
    detail: `it has ${size} bytes, and a resource at most ${fileBytesMax}: read it in parts with read_file`,
  });

/** The stream as its sandbox has it; if that has it no more, as it was recorded, without the middle of very long output. */
async function readStream(call: Reading, { sessionId, stepId, stream, offset = 0 }: Named<'output'>): Promise<Content> {
  let taken = takePart(offset);
  try {
    await readFromSandbox(call, { sessionId, stepId, stream, taken });
  } catch (error) {
    if (!(error instanceof Problem) || !goneSlugs.has(error.slug)) throw error;
    // The sandbox may have gone in the middle.
    taken = takePart(offset);
    await readRecorded(call, { sessionId, stepId, stream, taken });
  }
  const mimeType = 'text/plain';
  if (!taken.isFull()) return { bytes: taken.bytes(), mimeType };
  const bytes = withoutCutEnd(taken.bytes());
  return { bytes, mimeType, nextUri: outputUri({ sessionId, stepId, stream, offset: offset + bytes.length }) };
}

/** Leaves the beginning of a character of UTF-8, which has four bytes at most, to the next part. */
function withoutCutEnd(bytes: Buffer): Buffer {
  for (let end = bytes.length - 1; end >= bytes.length - 3; end--) {
    const byte = bytes[end] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return end + length > bytes.length ? bytes.subarray(0, end) : bytes;
  }
  return bytes;
}

const goneSlugs: ReadonlySet<string> = new Set(['not-found', 'output-gone', 'session-ended', 'session-paused']);

/** Takes one part of a stream out of its pieces. */
function takePart(offset: number) {
  const pieces: Uint8Array[] = [];
  let before = offset;
  let wanted = outputBytesMax;
  return {
    add(piece: Uint8Array): void {
      const after = piece.subarray(before, before + wanted);
      before = Math.max(0, before - piece.length);
      wanted -= after.length;
      pieces.push(Buffer.from(after));
    },
    isFull: () => wanted === 0,
    bytes: () => Buffer.concat(pieces),
  };
}

type Stream = Pick<Named<'output'>, 'sessionId' | 'stepId' | 'stream'> & { taken: ReturnType<typeof takePart> };

async function readFromSandbox({ verbs, caller, left }: Reading, { taken, ...stream }: Stream): Promise<void> {
  const enough = new AbortController();
  const onChunk = (chunk: Uint8Array) => {
    taken.add(chunk);
    if (taken.isFull()) enough.abort();
    return undefined;
  };
  const signal = AbortSignal.any([left, enough.signal]);
  await verbs.readOutput({ caller, ...stream, onStart: () => {}, onChunk, signal }).catch((error) => {
    if (!enough.signal.aborted) throw error;
  });
}

async function readRecorded({ verbs, caller, left }: Reading, { taken, stream, ...key }: Stream): Promise<void> {
  const step = await verbs.getStep({ caller, ...key });
  if (!isLong(step)) return taken.add(Buffer.from(step[stream]));
  const live = await verbs.followStep({ caller, ...key });
  const reader = { tenant: caller.tenant, signal: left };
  await followToEnd({ live, reader, onPart: ({ type, payload }) => type === stream && taken.add(payload) });
}

/** A type that says bytes is not believed: most files without a known extension are text. */
function asText(bytes: Buffer, mimeType: string): string | null {
  if (/^(image|audio|video)\//.test(mimeType) && mimeType !== 'image/svg+xml') return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return mimeType.startsWith('text/') ? bytes.toString() : null;
  }
}
