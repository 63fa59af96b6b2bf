import type { KernelRequest } from '@holdfast/specs/kernel';
import type { Completions } from '@holdfast/specs/public';
import type { Send } from '../agent/channel.ts';
import { completeReplySchema, inspectReplySchema, isCompleteReplySchema } from '../kernel/contents.ts';
import type { Replies } from '../kernel/replies.ts';
import { plainText } from '../show/plain-text.ts';

const matchesMax = 1000;
const matchCharactersMax = 512;
const kindCharactersMax = 32;
const mimeCharactersMax = 256;
const textCharactersMax = 1_048_576;

type Question<Type> = Extract<KernelRequest, { type: Type }>;

/** Passes an editor's questions to the kernel. Positions count Unicode characters in both protocols. An invalid reply is an empty answer. */
export function createEditor({ replies, send }: { replies: Replies; send: Send }) {
  return {
    async complete({ id, code, cursor }: Question<'complete'>): Promise<void> {
      const { reply } = replies.request('complete_request', { code, cursor_pos: cursor });
      send({ type: 'completions', id, ...completions(await reply, cursor) });
    },

    async inspect({ id, code, cursor }: Question<'inspect'>): Promise<void> {
      const { reply } = replies.request('inspect_request', { code, cursor_pos: cursor, detail_level: 0 });
      const data = texts(await reply);
      send({ type: 'inspection', id, found: Object.keys(data).length > 0, data });
    },

    async parse({ id, code }: Question<'parse'>): Promise<void> {
      const { reply } = replies.request('is_complete_request', { code });
      const { status, indent } = isCompleteReplySchema.parse(await reply);
      send({ type: 'parsed', id, status, indent });
    },
  };
}

function completions(reply: unknown, cursor: number): Completions {
  const found = completeReplySchema.safeParse(reply).data;
  if (!found) return { matches: [], start: cursor, end: cursor };
  const kinds = new Map(found.metadata._jupyter_types_experimental.map(({ text, type }) => [text, type]));
  const matches = found.matches
    .filter((text) => text.length <= matchCharactersMax)
    .slice(0, matchesMax)
    .map((text) => ({ text, kind: kinds.get(text)?.slice(0, kindCharactersMax) ?? null }));
  return { matches, start: found.cursor_start, end: found.cursor_end };
}

function texts(reply: unknown): Record<string, string> {
  const answer = inspectReplySchema.safeParse(reply).data;
  const data: Record<string, string> = {};
  let left = textCharactersMax;
  for (const [mime, entry] of Object.entries(answer?.found ? answer.data : {})) {
    if (typeof entry !== 'string' || mime.length > mimeCharactersMax || entry.length > left) continue;
    left -= entry.length;
    data[mime] = mime === 'text/plain' ? plainText(entry) : entry;
  }
  return data;
}
