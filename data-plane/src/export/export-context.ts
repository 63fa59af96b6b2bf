import { isBuiltIn, type Language, Problem } from '@holdfast/specs/public';
import { type LongAnswer, type Reader, type Streamed, streamedJson } from '../reading/json-slices.ts';
import type { Database } from '../registry/connect.ts';
import { findContext } from '../registry/contexts/find-context.ts';
import { listRanSteps, type RanStep } from '../registry/steps/list-ran-steps.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { kernelspecOf } from './kernelspec.ts';
import { cellsOf } from './notebook-cells.ts';
import { actorIn, type ReadDependencies, readSteps } from './read-steps.ts';

export type ExportDependencies = ReadDependencies & { db: Database };

type ExportInput = {
  caller: Caller;
  sessionId: string;
  contextId?: string | undefined;
  format: 'ipynb' | 'py' | 'script' | 'json';
};

/** An export in JSON, which is read while it is sent, or the text of a script. */
export type Exported = LongAnswer | AsyncScript;
export type AsyncScript = { script(reader: Reader): AsyncIterable<string> };

/**
 * The history of a context, also of a session that has ended.
 * @throws Problem 404, 410 if the session was deleted, 422 if the language does not fit the format
 */
export async function exportContext(
  deps: ExportDependencies,
  { caller, sessionId, format, ...input }: ExportInput,
): Promise<Exported> {
  const session = await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const contextId = input.contextId ?? session.language;
  const ran = await listRanSteps(deps.db, { sessionId, contextId });
  const language = await languageOf(deps, { sessionId, contextId, ran });
  if (format === 'py' && language !== 'python') {
    throw new Problem('unsupported-by-runtime', { detail: `the context has ${language} code, not Python` });
  }
  const read = (reader: Reader, withEvents: boolean) => readSteps(deps, { sessionId, ran, reader, withEvents });
  if (format === 'ipynb') {
    return {
      isLong: true,
      open: async (reader) => ({
        cells: listOf(cellsOf(read(reader, true))),
        metadata: { kernelspec: kernelspecOf(language), language_info: { name: kernelspecOf(language).language } },
        nbformat: 4,
        nbformat_minor: 5,
      }),
    };
  }
  if (format === 'json') {
    const head = { format: 'holdfast-1', sessionId, contextId, language };
    return { isLong: true, open: async (reader) => ({ ...head, steps: listOf(stepsOf(read(reader, false))) }) };
  }
  return { script: (reader) => scriptOf(read(reader, false)) };
}

type StepsRead = ReturnType<typeof readSteps>;

async function* stepsOf(steps: StepsRead): AsyncGenerator<object> {
  for await (const { row } of steps) yield { id: row.id, ...actorIn(row), status: row.status, code: row.code };
}

async function* scriptOf(steps: StepsRead): AsyncGenerator<string> {
  let before = '';
  for await (const { row } of steps) {
    if (row.status !== 'succeeded' || row.code.trim() === '') continue;
    yield `${before}${row.code.trimEnd()}\n`;
    before = '\n';
  }
}

const listOf = (items: AsyncIterable<object>): Streamed => streamedJson(slicesOf(items));

async function* slicesOf(items: AsyncIterable<object>): AsyncGenerator<string> {
  let before = '[';
  for await (const item of items) {
    yield before + JSON.stringify(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

async function languageOf(
  { db }: ExportDependencies,
  { sessionId, contextId, ran }: { sessionId: string; contextId: string; ran: readonly RanStep[] },
): Promise<Language> {
  const context = await findContext(db, { sessionId, contextId });
  if (context) return context.language;
  // A default context exists as soon as it has run something. The languages of an image are not known here.
  if (isBuiltIn(contextId) || (ran.length > 0 && !contextId.startsWith('ctx_'))) return contextId as Language;
  throw new Problem('not-found', { detail: `context ${contextId} does not exist in this session` });
}
