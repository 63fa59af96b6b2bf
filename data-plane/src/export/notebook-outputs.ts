import { type Frame, framesIn } from '@holdfast/specs/agent';
import type { Result, StepError } from '@holdfast/specs/public';

type Bundle = { data: Record<string, unknown>; metadata: Record<string, unknown> };
type Output =
  | { output_type: 'stream'; name: 'stdout' | 'stderr'; text: string }
  | ({ output_type: 'execute_result'; execution_count: number | null } & Bundle)
  | ({ output_type: 'display_data' } & Bundle)
  | { output_type: 'error'; ename: string; evalue: string; traceback: string[] };

/** The outputs of a cell, as a notebook stores them: what the step showed at its end. Pure. */
export function notebookOutputs(events: Buffer, executionCount: number | null): Output[] {
  let outputs: { output: Output; bytes: Buffer[]; displayId: string | null }[] = [];
  let isClearing = false;
  const add = (output: Output, displayId: string | null = null, bytes: Buffer[] = []) => {
    if (isClearing) outputs = [];
    isClearing = false;
    outputs.push({ output, bytes, displayId });
  };
  for (const { type, payload } of framesIn(events)) {
    if (type === 'stdout' || type === 'stderr') {
      const last = isClearing ? null : outputs.at(-1);
      if (last?.output.output_type === 'stream' && last.output.name === type) last.bytes.push(payload);
      else add({ output_type: 'stream', name: type, text: '' }, null, [payload]);
    } else if (type === 'result') {
      const { data, metadata, isMain } = json<Result>(payload);
      const { displayId, isUpdate, omitted: _, ...ofTypes } = metadata;
      const bundle = { data: asBundle(data), metadata: ofTypes };
      const id = typeof displayId === 'string' ? displayId : null;
      if (isUpdate) {
        // It stands for the earlier outputs of this name, and shows nothing by itself.
        for (const one of outputs) if (id !== null && one.displayId === id) Object.assign(one.output, bundle);
      } else if (isMain) add({ output_type: 'execute_result', execution_count: executionCount, ...bundle }, id);
      else add({ output_type: 'display_data', ...bundle }, id);
    } else if (type === 'error') {
      const { name, message, traceback } = json<StepError>(payload);
      add({ output_type: 'error', ename: name, evalue: message, traceback });
    } else if (type === 'clear_output') {
      isClearing = true;
      if (!json<{ wait: boolean }>(payload).wait) {
        outputs = [];
        isClearing = false;
      }
    }
  }
  return outputs.map(({ output, bytes }) =>
    output.output_type === 'stream' ? { ...output, text: Buffer.concat(bytes).toString() } : output,
  );
}

const json = <T>(payload: Frame['payload']) => JSON.parse(payload.toString()) as T;

/** In a notebook every type but those of JSON has text. */
function asBundle(data: Result['data']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([type, value]) => [
      type,
      typeof value === 'string' || /^application\/(.*\+)?json$/.test(type) ? value : JSON.stringify(value),
    ]),
  );
}
