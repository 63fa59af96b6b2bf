import * as z from 'zod';
import { workspacePath } from './workspace-path.ts';

const inlineFilesMax = 1000;

/** A text, or bytes as `{base64}`. */
const inlineFileSchema = z.union([z.string().max(8_388_608), z.strictObject({ base64: z.base64().max(11_184_812) })]);
export type InlineFile = { path: string; bytes: Buffer };

/** The files inside a request, by path. Two names for the same path are a fault. */
export const filesSchema = z.record(z.string(), inlineFileSchema).transform((files, context): InlineFile[] => {
  const given = Object.entries(files).map(([name, content]) => ({ name, path: workspacePath(name), content }));
  if (given.length > inlineFilesMax) context.addIssue(`must be at most ${inlineFilesMax} files`);
  const earlier = new Set<string | null>();
  const all = new Set(given.map(({ path }) => path));
  for (const { name, path } of given) {
    const fault = faultOf(path, { earlier, all });
    if (fault) context.addIssue({ code: 'custom', path: [name], message: fault });
    earlier.add(path);
  }
  return given.map(({ path, content }) => ({ path: path ?? '', bytes: bytesOf(content) }));
});

/** The reason why a file cannot be written beside those before it (`earlier`) and the directories that `all` files need. */
function faultOf(path: string | null, { earlier, all }: Record<'earlier' | 'all', ReadonlySet<string | null>>) {
  if (!path) return 'must be a path within the workspace';
  if (earlier.has(path)) return `repeats the path ${path}`;
  const names = path.split('/');
  const file = names.map((_, end) => names.slice(0, end).join('/')).find((directory) => all.has(directory));
  return file ? `must not be below ${file}, which is a file` : null;
}

const bytesOf = (content: string | { base64: string }): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : Buffer.from(content.base64, 'base64');
