import type { Send } from '../agent/channel.ts';
import type { Streams } from '../agent/streams.ts';
import { bundleSchema, errorSchema, streamSchema } from '../kernel/contents.ts';
import type { JupyterMessage } from '../kernel/wire.ts';
import { boundedBundle } from '../show/bounded-bundle.ts';
import { describeError } from '../show/describe-error.ts';

type Output = {
  stepId: string;
  message: JupyterMessage;
  /** Whether the step has ended. */
  isLate: boolean;
};

/** Passes on what a kernel publishes about a step. Types without an event of ours, such as `clear_output`, are dropped. */
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
    streams.markMessage();
    send({ type: 'result', stepId, ...boundedBundle(bundle), isMain: type === 'execute_result' });
  }
}
