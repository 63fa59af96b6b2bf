import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Extent, OutputFile } from '../steps/output-file.ts';

/**
 * Answers with what is kept of a step's stream, as bytes, at the reader's pace. The header `holdfast-output` says whether that is
 * the `whole` or its `beginning`, either because the step still runs or because there was no room for more.
 */
export async function streamOutput(
  outgoing: ServerResponse,
  { file, extent: { bytes, isWhole } }: { file: OutputFile; extent: Extent },
): Promise<void> {
  outgoing.setHeader('content-type', 'application/octet-stream');
  outgoing.setHeader('content-length', bytes);
  outgoing.setHeader('holdfast-output', isWhole ? 'whole' : 'beginning');
  // A fault in the middle has destroyed the response, which its reader sees as cut off.
  await pipeline(Readable.from(file.read(bytes), { objectMode: false }), outgoing).catch(() => {});
}
