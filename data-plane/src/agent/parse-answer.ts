import type { z } from 'zod';
import { AgentError } from './agent-error.ts';
import type { Pace } from './pace.ts';
import { parseJson, splitList } from './parse-json.ts';

/** About 15 ms. */
const weightMax = 200_000;
const itemBytesMax = 64 * 1024;
/** For this long the items of a list are parsed without a rest. */
const turnMs = 2;

/** The array of an answer that can be long. Its items are parsed one by one, with rests, so that no other work waits for the whole. */
export type AnswerList = { key: string; item: z.ZodType; itemsMax: number };

type AnswerForm<Answer> = {
  schema: z.ZodType<Answer>;
  list?: AnswerList | undefined;
  /** The request. */
  of: string;
  peer: string;
  pace: Pace;
};

/**
 * The answer of an agent, checked by `schema`.
 * @throws AgentError `invalid`
 */
export async function parseAnswer<Answer>(
  json: Buffer,
  { schema, list, of, peer, pace }: AnswerForm<Answer>,
): Promise<Answer> {
  try {
    const work = list ? parseWithList(json, { schema, list }) : parseWhole(json, schema);
    return await inTurns(work, { peer, pace });
  } catch (cause) {
    throw new AgentError('invalid', `the answer to ${of} is not of its form`, { cause });
  }
}

/** The result of work that is done in pieces, each of them when it is the peer's turn. */
function inTurns<Result>(work: Generator<void, Result>, { peer, pace }: { peer: string; pace: Pace }): Promise<Result> {
  return new Promise((resolve, reject) => {
    const piece = () => {
      const startedAt = performance.now();
      try {
        const { done, value } = work.next();
        if (done) resolve(value);
        else pace.later(peer, piece);
      } catch (error) {
        reject(error);
      } finally {
        pace.spend(peer, performance.now() - startedAt);
      }
    };
    if (pace.may(peer)) piece();
    else pace.later(peer, piece);
  });
}

// biome-ignore lint/correctness/useYield: it is one piece of work.
function* parseWhole<Answer>(json: Buffer, schema: z.ZodType<Answer>): Generator<void, Answer> {
  return schema.parse(parseJson(json, { weightMax }));
}

function* parseWithList<Answer>(
  json: Buffer,
  { schema, list }: { schema: z.ZodType<Answer>; list: AnswerList },
): Generator<void, Answer> {
  const split = yield* splitList(json, list);
  const answer = schema.parse(parseJson(split.rest, { weightMax })) as Record<string, unknown>;
  const items: unknown[] = [];
  let restAt = performance.now() + turnMs;
  for (const item of split.items) {
    if (item.length > itemBytesMax) throw new Error(`an item has ${item.length} bytes`);
    items.push(list.item.parse(parseJson(item, { weightMax })));
    if (performance.now() < restAt) continue;
    yield;
    restAt = performance.now() + turnMs;
  }
  answer[list.key] = items;
  return answer as Answer;
}
