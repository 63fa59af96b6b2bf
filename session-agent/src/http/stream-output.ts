import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Extent, OutputFile } from '../steps/output-file.ts';

/**
 * Answers with the stored bytes of a step's stream, at the reader's speed. The header `holdfast-output` says whether they are the `whole`
 * stream or its `beginning`, because the step still runs or the space was used up.
 */
export async function streamOutput(
  outgoing: ServerResponse,
  { file, extent: { bytes, isWhole } }: { file: OutputFile; extent: Extent },
): Promise<void> {
  outgoing.setHeader('content-type', 'application/octet-stream');
  outgoing.setHeader('content-length', bytes);
  outgoing.setHeader('holdfast-output', isWhole ? 'whole' : 'beginning');
  // An error in the middle has destroyed the response, so its reader sees that it was cut off.
  await pipeline(Readable.from(file.read(bytes), { objectMode: false }), outgoing).catch(() => {});
}
