import * as z from 'zod';
import { lostNameSchema, nameLengthMax, reportedNamesMax } from './recovery.ts';
import { storable } from './storable.ts';

const told = z
  .string()
  .max(nameLengthMax)
  .overwrite((value) => storable(value));

export const savedNameSchema = z.object({
  name: told,
  kind: z.enum(['import', 'function', 'class', 'variable']),
});

/** What a kernel says about the state that it saved. */
export const snapshotManifestSchema = z
  .object({
    format: z.literal(1),
    language: z.string().max(64),
    interpreter: told.meta({ description: 'The version of the interpreter, such as "Python 3.13.5"' }),
    saved: z.array(savedNameSchema).max(reportedNamesMax),
    notSaved: z
      .array(lostNameSchema)
      .max(reportedNamesMax)
      .meta({ description: 'Names that cannot be saved, and why' }),
  })
  .meta({ id: 'SnapshotManifest' });
export type SnapshotManifest = z.infer<typeof snapshotManifestSchema>;

/**
 * The end of a snapshot's archive: the manifest as JSON, its length in bytes as ten decimal digits, and this text. All that comes before
 * is the business of the language's kernel. An archive without this end is not complete.
 */
export const archiveEnd = 'hfsnap1\n';
export const manifestLengthDigits = 10;
export const manifestBytesMax = 4 * 2 ** 20;
