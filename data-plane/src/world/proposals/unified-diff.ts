import { isUtf8 } from 'node:buffer';
import { setImmediate as immediate } from 'node:timers/promises';
import type { DiffOmission, ProposedChange } from '@holdfast/specs/public';
import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch } from 'diff';
import type { Contents } from '../../contents/contents.ts';

/** A file that is larger, or has more lines, has no diff. */
const fileBytesMax = 256 * 1024;
const fileLinesMax = 10_000;
/** Finding a diff takes time in proportion to the lines and the number of lines that differ. */
const differentLinesMax = 1000;
/** Other requests wait meanwhile. */
const fileMsMax = 40;
/** For all files of a proposal together. */
const textLengthMax = 1024 * 1024;
const msMax = 1000;
const filesMax = 200;

type Diff = { diff: string | null; diffOmission: DiffOmission | null };
type FileChange = Pick<ProposedChange, 'path' | 'kind' | 'before' | 'after'>;

/** The unified diffs of changes, in their order. A hostile session chooses what is compared, so time and length are bounded. */
export async function unifiedDiffs(contents: Pick<Contents, 'open'>, changes: readonly FileChange[]): Promise<Diff[]> {
  const diffs: Diff[] = [];
  let [files, ms, length] = [0, 0, 0];
  for (const change of changes) {
    const hasBytes = change.kind === 'file' && change.before?.sha256 !== change.after?.sha256;
    const mayRead = files < filesMax && ms < msMax && length < textLengthMax;
    const found = !hasBytes ? none : mayRead ? await diffOf(contents, change) : omitted('too-large');
    if (hasBytes) files += 1;
    ms += found.ms;
    length += found.diff?.length ?? 0;
    diffs.push({ diff: found.diff, diffOmission: found.diffOmission });
    await immediate();
  }
  return diffs;
}

const none = { diff: null, diffOmission: null, ms: 0 };
const omitted = (diffOmission: DiffOmission) => ({ diff: null, diffOmission, ms: 0 });

async function diffOf(
  contents: Pick<Contents, 'open'>,
  { path, before, after }: FileChange,
): Promise<Diff & { ms: number }> {
  if (Math.max(before?.size ?? 0, after?.size ?? 0) > fileBytesMax) return omitted('too-large');
  const states = [await bytesOf(contents, before), await bytesOf(contents, after)] as const;
  if (states.some((bytes) => bytes.includes(0) || !isUtf8(bytes))) return omitted('binary');
  const [old, fresh] = states.map((bytes) => bytes.toString()) as [string, string];
  if (Math.max(linesOf(old), linesOf(fresh)) > fileLinesMax) return omitted('too-large');
  const startMs = performance.now();
  const diff = textDiff({ path, old: before && old, fresh: after && fresh });
  return { diff, diffOmission: diff === null ? 'too-different' : null, ms: performance.now() - startMs };
}

type Texts = { path: string; old: string | null; fresh: string | null };

/** Null if the texts differ in too many lines. Pure. */
export function textDiff({ path, old, fresh }: Texts): string | null {
  const names = [old === null ? '/dev/null' : `a/${path}`, fresh === null ? '/dev/null' : `b/${path}`] as const;
  const text = old === null ? fresh : fresh === null ? old : null;
  if (text !== null) return wholeFile(names, text, old === null ? '+' : '-');
  const options = {
    ...{ context: 3, maxEditLength: differentLinesMax, timeout: fileMsMax },
    headerOptions: FILE_HEADERS_ONLY,
  };
  return createTwoFilesPatch(...names, old ?? '', fresh ?? '', undefined, undefined, options) ?? null;
}

/** The diff of a file that is created or deleted, without looking for anything. */
function wholeFile([oldFileName, newFileName]: readonly [string, string], text: string, sign: '+' | '-'): string {
  const lines = text.split('\n');
  const isEnded = lines.at(-1) === '';
  if (isEnded) lines.pop();
  const [oldLines, newLines] = sign === '+' ? [0, lines.length] : [lines.length, 0];
  const signed = [
    ...lines.map((line) => sign + line),
    ...(isEnded || lines.length === 0 ? [] : ['\\ No newline at end of file']),
  ];
  const hunk = { oldStart: 1, oldLines, newStart: 1, newLines, lines: signed };
  const hunks = lines.length === 0 ? [] : [hunk];
  const patch = { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks };
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

async function bytesOf(contents: Pick<Contents, 'open'>, state: ProposedChange['before']): Promise<Buffer> {
  if (!state) return Buffer.alloc(0);
  const content = await contents.open(state.sha256);
  if (!content) throw new Error('the content of a proposal is gone');
  const pieces: Uint8Array[] = [];
  for await (const piece of content.read()) pieces.push(piece);
  return Buffer.concat(pieces);
}

function linesOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
