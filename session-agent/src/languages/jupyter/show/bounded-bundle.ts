import type { Result } from '@holdfast/specs/public';

const textCharactersMax = 1024 * 1024;
/** Below the 8 MiB that the agent accepts for a whole result, so that an entry that is too large costs itself alone. */
const bundleBytesMax = 7 * 1024 * 1024;
const mimeCharactersMax = 256;
const metadataBytesMax = 65_536;

type Bundle = Pick<Result, 'data' | 'metadata'>;
type Json = Bundle['data'][string];

/** The bundle with what fits into a message. `metadata.omitted` names the entries that were left out. Pure. */
export function boundedBundle({ data, metadata }: Bundle): Bundle {
  const sent: Bundle['data'] = {};
  const omitted: string[] = [];
  let left = bundleBytesMax;
  // The text comes first, so that there is something to see if the others do not fit.
  const entries = Object.entries(data).sort(([a], [b]) => Number(b === 'text/plain') - Number(a === 'text/plain'));
  for (const [mime, given] of entries) {
    const entry = mime === 'text/plain' && typeof given === 'string' ? boundedText(given) : given;
    const bytes = jsonBytes(entry);
    if (mime.length > mimeCharactersMax || bytes > left) {
      omitted.push(mime.slice(0, mimeCharactersMax));
      continue;
    }
    left -= bytes;
    sent[mime] = entry;
  }
  const small = Object.entries(metadata).filter(([, entry]) => jsonBytes(entry) <= metadataBytesMax);
  return { data: sent, metadata: { ...Object.fromEntries(small), ...(omitted.length > 0 && { omitted }) } };
}

function boundedText(text: string): string {
  if (text.length <= textCharactersMax) return text;
  return `${text.slice(0, textCharactersMax)}… (${text.length - textCharactersMax} more characters)`;
}

/** The size as JSON, or more than the maximum if the entry is nested too deep to be written. */
function jsonBytes(entry: Json): number {
  try {
    return Buffer.byteLength(JSON.stringify(entry));
  } catch {
    return bundleBytesMax + 1;
  }
}
