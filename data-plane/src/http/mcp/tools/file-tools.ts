import { fileEntriesMax, Problem, sandboxPathSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { inSession } from '../call/in-session.ts';
import { fileUri } from '../call/resource-uri.ts';
import { readPart } from '../resources/read-part.ts';
import { imageTypeOf, imageTypes } from '../steps/image-type.ts';
import { answer, defineTool, type Tool } from './tool.ts';

const path = sandboxPathSchema.describe('Relative to the workspace; or absolute below /tmp');
const filePath = path.refine((given) => given !== '', 'a file must be named');

const readBytesMax = 256 * 1024;
const imageBytesMax = 3 * 2 ** 20;
const entriesMax = 500;

const readFileTool = defineTool({
  name: 'read_file',
  title: 'Read a file',
  description:
    'Reads a text file as UTF-8, up to 256 KiB a call: go on with offset. Images (PNG, JPEG, GIF, WebP up to 3 MiB) are shown. Any other file gets a link to a resource.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    path: filePath,
    offset: z.number().int().min(0).default(0).describe('The first byte to read'),
    length: z.number().int().min(1).max(readBytesMax).default(65_536).describe('The number of bytes to read at most'),
  }),
  output: z.object({
    path: z.string(),
    size: z.number().int().describe('The bytes of the whole file'),
    text: z.string().nullable().describe('null if the file is not text'),
    nextOffset: z.number().int().nullable().describe('The offset to go on with; null at the end'),
  }),
  call: (call, { path, offset, length }) =>
    inSession(call, async (sessionId) => {
      const file = { sessionId, path };
      const { bytes, size, mimeType } = await readPart(call, { ...file, offset, length });
      const link = { type: 'resource_link' as const, uri: fileUri(file), name: path, mimeType, size };
      if (isImage(mimeType)) {
        const structuredContent = { path, size, text: null, nextOffset: null };
        if (size > imageBytesMax) return { content: [link], structuredContent };
        await call.wholeReads.begin({ tenant: call.caller.tenant, signal: call.left });
        const image = size > bytes.length ? await readPart(call, { ...file, offset: 0, length: size }) : { bytes };
        const type = imageTypeOf(image.bytes);
        const data = image.bytes.toString('base64');
        if (type) return { content: [{ type: 'image', data, mimeType: type }], structuredContent };
      }
      const { text, used } = wholeText(bytes, { isLast: offset + bytes.length >= size });
      if (text === null) return { content: [link], structuredContent: { path, size, text, nextOffset: null } };
      const nextOffset = offset + used < size ? offset + used : null;
      const rest = nextOffset === null ? '' : `\n[${size - nextOffset} more bytes: read on with offset ${nextOffset}]`;
      return answer(text + rest || '(empty file)', { path, size, text, nextOffset });
    }),
});

const isImage = (mimeType: string): boolean => imageTypes.some((type) => type === mimeType);

/** The text of a part of a file up to its last whole character; null if the part is not UTF-8. */
function wholeText(bytes: Buffer, { isLast }: { isLast: boolean }): { text: string | null; used: number } {
  const cuts = isLast ? [0] : [0, 1, 2, 3];
  for (const cut of cuts) {
    const whole = bytes.subarray(0, bytes.length - cut);
    try {
      return { text: new TextDecoder('utf-8', { fatal: true }).decode(whole), used: whole.length };
    } catch {}
  }
  return { text: null, used: 0 };
}

const writeFileTool = defineTool({
  name: 'write_file',
  title: 'Write a file',
  description:
    'Creates or replaces a file, as text or as base64, up to 4 MiB. Directories above it are made. The file is written as a whole or not at all.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    path: filePath,
    content: z.string().max(4 * 2 ** 20),
    encoding: z.enum(['utf-8', 'base64']).default('utf-8').describe('How content is written'),
  }),
  output: z.object({ path: z.string(), size: z.number().int(), isNew: z.boolean() }),
  call: (call, { path, content, encoding }) =>
    inSession(call, async (sessionId) => {
      const bytes = encoding === 'base64' ? fromBase64(content) : Buffer.from(content);
      const { verbs, caller } = call;
      const { size, isNew } = await verbs.putFile({ caller, sessionId, path, body: [bytes], size: bytes.length });
      return answer(`${isNew ? 'Created' : 'Replaced'} ${path} (${size} bytes)`, { path, size, isNew });
    }),
});

function fromBase64(content: string): Buffer {
  if (/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(content)) return Buffer.from(content, 'base64');
  const detail = 'must be base64';
  throw new Problem('invalid-request', { detail, errors: [{ pointer: '/content', detail }] });
}

const listFilesTool = defineTool({
  name: 'list_files',
  title: 'List files',
  description: `Lists files and directories below a directory, by path. At most ${entriesMax} entries.`,
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({
    path: path.default('').describe('The directory; default: the workspace'),
    depth: z.number().int().min(1).max(16).default(1).describe('How many levels to list'),
  }),
  output: z.object({
    items: z.array(z.object({ path: z.string(), kind: z.string(), size: z.number().int(), modifiedAt: z.string() })),
    truncated: z.boolean().describe('Whether entries are missing'),
  }),
  call: (call, where) =>
    inSession(call, async (sessionId) => {
      const { verbs, caller } = call;
      const list = await verbs.listFiles({ caller, sessionId, ...where });
      const items = list.items.slice(0, entriesMax);
      const truncated = list.truncated || items.length < list.items.length;
      const lines = items.map(lineOf);
      if (truncated) lines.push(`[more entries are not listed; the server lists ${fileEntriesMax} at most]`);
      return answer(lines.join('\n') || '(empty)', { items, truncated });
    }),
});

/** A name may have line breaks, and must not pass for another line. */
function lineOf({ path, kind, size }: { path: string; kind: string; size: number }): string {
  const name = /[\p{Cc}\p{Zl}\p{Zp}]/u.test(path) ? JSON.stringify(path) : path;
  return kind === 'directory' ? `${name}/` : `${name}  ${size}`;
}

export const fileTools: readonly Tool[] = [readFileTool, writeFileTool, listFilesTool];
