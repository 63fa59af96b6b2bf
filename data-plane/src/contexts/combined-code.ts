import { type Reader, streamedText } from '../reading/json-slices.ts';
import { type LargeReads, pieceBytes } from '../reading/large-reads.ts';
import { readCode, type SucceededStep } from '../registry/steps/list-succeeded-steps.ts';

/** The code of steps as one text, with an empty line between two of them, read while it is sent. */
export const combinedCode = (reads: LargeReads, steps: readonly SucceededStep[], reader: Reader) =>
  streamedText(codeOf(reads, steps, reader));

async function* codeOf(reads: LargeReads, steps: readonly SucceededStep[], reader: Reader): AsyncGenerator<Buffer> {
  let before = '';
  for (const stepIds of batchesOf(steps)) {
    for (const code of await reads.read(reader, (db) => readCode(db, { stepIds, signal: reader.signal }))) {
      if (code.trim() === '') continue;
      yield Buffer.from(before + code.trimEnd());
      before = '\n\n';
    }
  }
}

/** The ids of consecutive steps whose code is read at once; longer code is read alone. Pure. */
export function batchesOf(steps: readonly Pick<SucceededStep, 'stepId' | 'codeBytes'>[]): string[][] {
  const batches: string[][] = [];
  let bytes = 0;
  for (const { stepId, codeBytes } of steps) {
    const batch = batches.at(-1);
    bytes += codeBytes;
    if (batch && bytes <= pieceBytes) batch.push(stepId);
    else {
      batches.push([stepId]);
      bytes = codeBytes;
    }
  }
  return batches;
}
