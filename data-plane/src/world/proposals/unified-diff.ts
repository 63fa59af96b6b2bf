import { isUtf8 } from 'node:buffer';
import { setImmediate as immediate } from 'node:timers/promises';
import type { DiffOmission, FileState, ProposedChange } from '@holdfast/specs/public';
import { formatPatch, type StructuredPatch, structuredPatch } from 'diff';
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

/** The unified diffs of changes as git writes them, in their order. A hostile session chooses what is compared, so time and length are bounded. */
export async function unifiedDiffs(contents: Pick<Contents, 'open'>, changes: readonly FileChange[]): Promise<Diff[]> {
  const diffs: Diff[] = [];
  let [files, ms, length] = [0, 0, 0];
  for (const change of changes) {
    const hasBytes = change.kind !== 'directory' && change.before?.sha256 !== change.after?.sha256;
    const hasRoom = length < textLengthMax && (!hasBytes || (files < filesMax && ms < msMax));
    const diffed = async () => (hasBytes ? await diffOf(contents, change) : modeDiff(change));
    const found = !hasBytes && !isModeChange(change) ? none : hasRoom ? await diffed() : omitted('too-large');
    if (hasBytes) files += 1;
    ms += found.ms;
    length += found.diff?.length ?? 0;
    diffs.push({ diff: found.diff, diffOmission: found.diffOmission });
    await immediate();
  }
  return diffs;
}

const none = { diff: null, diffOmission: null, ms: 0 };

/** Whether a file has another mode, if it has the same bytes. */
const isModeChange = ({ before, after }: FileChange): boolean =>
  before !== null && after !== null && gitMode(before) !== gitMode(after);

function modeDiff({ path, before, after }: FileChange): Diff & { ms: number } {
  const modes = { oldMode: gitMode(before), newMode: gitMode(after) };
  return { diff: textDiff({ path, old: '', fresh: '', ...modes }), diffOmission: null, ms: 0 };
}

/** The mode of git for a file or a link: the kind, and the permissions. */
const gitMode = (state: FileState | null): string =>
  state?.target === undefined ? `10${state?.mode ?? (state?.executable ? '0755' : '0644')}` : linkMode;

const linkMode = '120000';

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
  const modes = { oldMode: gitMode(before), newMode: gitMode(after) };
  const diff = textDiff({ path, old: before && old, fresh: after && fresh, ...modes });
  return { diff, diffOmission: diff === null ? 'too-different' : null, ms: performance.now() - startMs };
}

type Texts = { path: string; old: string | null; fresh: string | null; oldMode?: string; newMode?: string };

/** Null if the texts differ in too many lines. Pure. */
export function textDiff({ path, old, fresh, oldMode = '100644', newMode = '100644' }: Texts): string | null {
  const names = { oldFileName: `a/${path}`, newFileName: `b/${path}` };
  if (old === null || fresh === null) {
    return fresh === null ? wholeFile(names, old ?? '', { oldMode }) : wholeFile(names, fresh, { newMode });
  }
  // To git, a file in place of a link is another one.
  if ((oldMode === linkMode) !== (newMode === linkMode)) {
    return wholeFile(names, old, { oldMode }) + wholeFile(names, fresh, { newMode });
  }
  const options = { context: 3, maxEditLength: differentLinesMax, timeout: fileMsMax };
  const patch = structuredPatch(names.oldFileName, names.newFileName, old, fresh, undefined, undefined, options);
  return patch ? formatPatch({ ...patch, isGit: true, ...(oldMode !== newMode && { oldMode, newMode }) }) : null;
}

type Names = Pick<StructuredPatch, 'oldFileName' | 'newFileName'>;

/** The diff of a file that is created or deleted, without looking for anything. */
function wholeFile(names: Names, text: string, { oldMode, newMode }: { oldMode?: string; newMode?: string }): string {
  const lines = text.split('\n');
  const isEnded = lines.at(-1) === '';
  if (isEnded) lines.pop();
  const isCreate = newMode !== undefined;
  const [oldLines, newLines] = isCreate ? [0, lines.length] : [lines.length, 0];
  const signed = [
    ...lines.map((line) => (isCreate ? '+' : '-') + line),
    ...(isEnded || lines.length === 0 ? [] : ['\\ No newline at end of file']),
  ];
  // The library writes the start of a side without lines as 0.
  const hunk = { oldStart: 1, oldLines, newStart: 1, newLines, lines: signed };
  const hunks = lines.length === 0 ? [] : [hunk];
  const git = isCreate
    ? { isCreate, newMode, oldFileName: '/dev/null' }
    : { isDelete: true, oldMode, newFileName: '/dev/null' };
  return formatPatch({ ...names, oldHeader: undefined, newHeader: undefined, hunks, isGit: true, ...git });
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
