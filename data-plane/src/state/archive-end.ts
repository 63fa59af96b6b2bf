import {
  archiveEnd,
  manifestBytesMax,
  manifestLengthDigits,
  type SnapshotManifest,
  snapshotManifestSchema,
} from '@holdfast/specs/public';
import { AgentError } from '../agent/agent-error.ts';
import { parseJson } from '../agent/parse-json.ts';
import { boundManifest } from './bound-manifest.ts';

const footerBytes = manifestLengthDigits + archiveEnd.length;
/** That of a manifest with as many names as it may have. A few megabytes of other structure would occupy the process for seconds. */
const weightMax = 1_000_000;

/** Reads the manifest at the end of an archive while its bytes pass through. */
export function createArchiveEnd() {
  let chunks: Uint8Array[] = [];
  let bytes = 0;

  /** Keeps what can be the manifest. */
  function keep(chunk: Uint8Array): void {
    chunks.push(chunk);
    bytes += chunk.length;
    for (let first = chunks[0]; first && bytes - first.length >= manifestBytesMax + footerBytes; first = chunks[0]) {
      bytes -= first.length;
      chunks.shift();
    }
  }

  return {
    async *through(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
      for await (const chunk of source) {
        keep(chunk);
        yield chunk;
      }
    },

    /**
     * The manifest, with as many names as fit into the registry.
     * @throws AgentError if the archive is not complete
     */
    manifest(): SnapshotManifest {
      const manifest = boundManifest(parseArchiveEnd(Buffer.concat(chunks)));
      chunks = [];
      return manifest;
    },
  };
}

/** @throws AgentError */
export function parseArchiveEnd(tail: Buffer): SnapshotManifest {
  const footer = tail.subarray(Math.max(0, tail.length - footerBytes)).toString('latin1');
  const digits = footer.slice(0, manifestLengthDigits);
  if (!footer.endsWith(archiveEnd) || !/^\d{10}$/.test(digits)) throw broken('its end is missing');
  const length = Number(digits);
  const start = tail.length - footerBytes - length;
  if (start < 0) throw broken('its manifest is too long');
  try {
    return snapshotManifestSchema.parse(parseJson(tail.subarray(start, start + length), { weightMax }));
  } catch (cause) {
    throw broken('its manifest is not valid', cause);
  }
}

const broken = (why: string, cause?: unknown) =>
  new AgentError('invalid', `an archive is broken: ${why}`, cause ? { cause } : {});
