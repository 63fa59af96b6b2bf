import { type Frame, framesIn } from '@holdfast/specs/agent';
import type { Result, ResultUpdate, StepError } from '@holdfast/specs/public';

type Bundle = { data: Record<string, unknown>; metadata: Record<string, unknown> };
type Output =
  | { output_type: 'stream'; name: 'stdout' | 'stderr'; text: string }
  | ({ output_type: 'execute_result'; execution_count: number | null } & Bundle)
  | ({ output_type: 'display_data' } & Bundle)
  | { output_type: 'error'; ename: string; evalue: string; traceback: string[] };

/** The outputs of a cell, as a notebook stores them: what the step showed at its end. Pure. */
export function notebookOutputs(events: Buffer, executionCount: number | null): Output[] {
  let outputs: { output: Output; bytes: Buffer[]; displayId: string | null; number: number }[] = [];
  /** Counts the outputs, also those that were cleared. */
  let count = 0;
  /** The last update by the id of what it updates, and the number of outputs before it. */
  const updates = new Map<string, { update: ResultUpdate; before: number }>();
  let isClearing = false;
  const add = (output: Output, displayId: string | null = null, bytes: Buffer[] = []) => {
    if (isClearing) outputs = [];
    isClearing = false;
    outputs.push({ output, bytes, displayId, number: count });
    count += 1;
  };
  for (const { type, payload } of framesIn(events)) {
    if (type === 'stdout' || type === 'stderr') {
      const last = isClearing ? null : outputs.at(-1);
      if (last?.output.output_type === 'stream' && last.output.name === type) last.bytes.push(payload);
      else add({ output_type: 'stream', name: type, text: '' }, null, [payload]);
    } else if (type === 'result') {
      const result = json<Result>(payload);
      const id = result.displayId ?? null;
      if (result.isMain)
        add({ output_type: 'execute_result', execution_count: executionCount, ...bundleOf(result) }, id);
      else add({ output_type: 'display_data', ...bundleOf(result) }, id);
    } else if (type === 'result_update') {
      const update = json<ResultUpdate>(payload);
      updates.set(update.displayId, { update, before: count });
    } else if (type === 'error') {
      const { name, message, traceback } = json<StepError>(payload);
      add({ output_type: 'error', ename: name, evalue: message, traceback });
    } else if (type === 'output_cleared') {
      isClearing = true;
      if (!json<{ wait: boolean }>(payload).wait) {
        outputs = [];
        isClearing = false;
      }
    }
  }
  return outputs.map(({ output, bytes, displayId, number }) => {
    if (output.output_type === 'stream') return { ...output, text: Buffer.concat(bytes).toString() };
    const { update, before = 0 } = updates.get(displayId ?? '') ?? {};
    return update && number < before ? { ...output, ...bundleOf(update) } : output;
  });
}

const json = <T>(payload: Frame['payload']) => JSON.parse(payload.toString()) as T;

function bundleOf({ data, metadata }: Pick<Result, 'data' | 'metadata'>): Bundle {
  const { omitted: _, ...ofTypes } = metadata;
  return { data: asBundle(data), metadata: ofTypes };
}

/** In a notebook every type but those of JSON has text. */
function asBundle(data: Result['data']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([type, value]) => [
      type,
      typeof value === 'string' || /^application\/(.*\+)?json$/.test(type) ? value : JSON.stringify(value),
    ]),
  );
}
