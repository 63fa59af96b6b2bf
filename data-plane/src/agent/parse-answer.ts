import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { AgentError } from './agent-error.ts';
import { parseJson, type SplitList, splitList } from './parse-json.ts';

/** About 15 ms. */
const weightMax = 200_000;
const itemBytesMax = 64 * 1024;
/** For this long the items of a list are parsed without a rest. */
const turnMs = 10;

/** The array of an answer that can be long. Its items are parsed one by one, with rests, so that no other work waits for the whole. */
export type AnswerList = { key: string; item: z.ZodType; itemsMax: number };

/**
 * The answer of an agent, checked by `schema`.
 * @throws AgentError `invalid`
 */
export async function parseAnswer<Answer>(
  json: Buffer,
  { schema, list, of }: { schema: z.ZodType<Answer>; list?: AnswerList | undefined; of: string },
): Promise<Answer> {
  try {
    if (!list) return schema.parse(parseJson(json, { weightMax }));
    return await parseWithList(json, { schema, list });
  } catch (cause) {
    throw new AgentError('invalid', `the answer to ${of} is not of its form`, { cause });
  }
}

async function parseWithList<Answer>(
  json: Buffer,
  { schema, list }: { schema: z.ZodType<Answer>; list: AnswerList },
): Promise<Answer> {
  const split = await untilSplit(json, list);
  const answer = schema.parse(parseJson(split.rest, { weightMax })) as Record<string, unknown>;
  const items: unknown[] = [];
  let restAt = performance.now() + turnMs;
  for (const item of split.items) {
    if (item.length > itemBytesMax) throw new Error(`an item has ${item.length} bytes`);
    items.push(list.item.parse(parseJson(item, { weightMax })));
    if (performance.now() < restAt) continue;
    await nextTurn();
    restAt = performance.now() + turnMs;
  }
  answer[list.key] = items;
  return answer as Answer;
}

async function untilSplit(json: Buffer, list: AnswerList): Promise<SplitList> {
  const search = splitList(json, list);
  for (;;) {
    const { done, value } = search.next();
    if (done) return value;
    await nextTurn();
  }
}
