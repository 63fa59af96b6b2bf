import type { Send } from '../agent/channel.ts';
import type { Streams } from '../agent/streams.ts';
import { bundleSchema, clearSchema, errorSchema, streamSchema } from '../kernel/contents.ts';
import type { JupyterMessage } from '../kernel/wire.ts';
import { boundedBundle } from '../show/bounded-bundle.ts';
import { describeError } from '../show/describe-error.ts';

type Output = {
  stepId: string;
  message: JupyterMessage;
  /** Whether the step has ended. */
  isLate: boolean;
};

/** Passes on what a kernel publishes about a step. Types without an event of ours are dropped. */
export function showOutput(
  { stepId, message, isLate }: Output,
  { send, streams }: { send: Send; streams: Streams },
): void {
  const { type, content } = message;
  if (type === 'stream') {
    const { name, text } = streamSchema.safeParse(content).data ?? { name: 'stdout', text: '' };
    if (isLate) send({ type: 'background', stepId, stream: name, text });
    else streams.write(name, text);
  } else if (isLate) return;
  else if (type === 'error') {
    const error = errorSchema.safeParse(content).data;
    if (!error) return;
    streams.markMessage();
    send({ type: 'error', stepId, ...describeError(error) });
  } else if (type === 'execute_result' || type === 'display_data' || type === 'update_display_data') {
    const bundle = bundleSchema.safeParse(content).data;
    if (!bundle) return;
    const { display_id: displayId } = bundle.transient;
    const isUpdate = type === 'update_display_data';
    if (isUpdate && displayId === undefined) return;
    streams.markMessage();
    if (isUpdate && displayId !== undefined)
      send({ type: 'result_update', stepId, displayId, ...boundedBundle(bundle) });
    else {
      const isMain = type === 'execute_result';
      send({ type: 'result', stepId, ...(displayId !== undefined && { displayId }), ...boundedBundle(bundle), isMain });
    }
  } else if (type === 'clear_output') {
    const { wait } = clearSchema.safeParse(content).data ?? { wait: false };
    streams.markMessage();
    send({ type: 'output_cleared', stepId, wait });
  }
}
