import { StringDecoder } from 'node:string_decoder';
import type { FramePart } from '../../../steps/frames/frame-parts.ts';
import type { Notify } from '../call/call.ts';

const everyMs = 250;
/** After so long without output, the client hears that the code still runs. */
const silenceMs = 10_000;
/** In characters: of one notification, and of all notifications of a call. The result has the rest. */
const messageMax = 4096;
const messagesMax = 128 * 1024;

type Part = Pick<FramePart, 'type' | 'timeMs' | 'payload'>;

/** Reports the output of a step while it runs, in few messages. `progress` is the number of seconds since the step was asked for. */
export function createProgress(notify: Notify, { queuedAt }: { queuedAt: Date }) {
  const decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() };
  let waiting = '';
  let sent = 0;
  let latest = 0;
  let lastSentAt = performance.now();

  const send = (message: string) => {
    latest = Math.max(latest + 0.001, (Date.now() - queuedAt.getTime()) / 1000);
    lastSentAt = performance.now();
    notify(Math.round(latest * 1000) / 1000, message);
  };

  const flush = () => {
    if (waiting && sent < messagesMax) {
      const message = waiting.length > messageMax ? `…${waiting.slice(-messageMax).toWellFormed()}` : waiting;
      sent += message.length;
      send(message);
    } else if (performance.now() - lastSentAt >= silenceMs) send('still running');
    waiting = '';
  };

  const timer = setInterval(flush, everyMs);

  return {
    add({ type, payload }: Part): void {
      if (type === 'stdout' || type === 'stderr') waiting += decoders[type].write(payload);
      else if (type === 'queued' && JSON.parse(payload.toString()).position > 0)
        waiting += 'waits for the step before it\n';
      else if (type === 'operation_request') waiting += 'waits for an answer of the host\n';
      else if (type === 'input_request') waiting += 'waits for input\n';
      else return;
      // Only the end of it is sent.
      if (waiting.length > 8 * messageMax) waiting = waiting.slice(-2 * messageMax);
    },

    /** Sends what is left. */
    close(): void {
      clearInterval(timer);
      if (waiting) flush();
    },
  };
}
