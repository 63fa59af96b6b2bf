import { type Frame, FrameError, frameAt } from '@holdfast/specs/agent';
import type { Step } from '@holdfast/specs/public';

/** An event of a step as one JSON text. `type` and `seq` stand beside it for the framing. */
export type RenderedEvent = { type: string; seq: number; json: string };

type Subject = { id: string; sessionId: string; actor: string; queuedAt: Date };

/**
 * Renders the frames of one step as public events, one after the other. It remembers the contextEpoch that the last `started` or
 * `state_reset` announced, so give it every frame, also those that the client skips.
 */
export function createEventRenderer(step: Subject) {
  const subject = `,"sessionId":${JSON.stringify(step.sessionId)},"stepId":${JSON.stringify(step.id)},"actor":${JSON.stringify(step.actor)}`;
  const queuedMs = step.queuedAt.getTime();
  let contextEpoch: number | null = null;
  let seq = 0;
  let lastMs = -1;
  let lastTime = '';

  /** The fields that the data-plane sets. They stand last, so that they replace any of the same name in an agent's payload. */
  const ours = (type: string, atMs: number, withEpoch: boolean) => {
    if (atMs !== lastMs) {
      lastMs = atMs;
      lastTime = new Date(atMs).toISOString();
    }
    const epoch = withEpoch ? `,"contextEpoch":${contextEpoch}` : '';
    return `"type":"${type}","seq":${seq},"time":"${lastTime}"${subject}${epoch}`;
  };

  return {
    frame(bytes: Buffer): RenderedEvent {
      const frame = wholeFrame(bytes);
      const { type, timeMs } = frame;
      seq = frame.seq;
      if (type === 'stdout' || type === 'stderr') {
        const text = JSON.stringify(frame.payload.toString());
        return { type, seq, json: `{${ours(type, queuedMs + timeMs, true)},"text":${text}}` };
      }
      const content = oneLine(frame.payload);
      const announces = type === 'started' || type === 'state_reset';
      if (announces) contextEpoch = (JSON.parse(content) as { contextEpoch: number }).contextEpoch;
      const fields = content.slice(1, -1);
      const json = `{${fields}${fields && ','}${ours(type, queuedMs + timeMs, !announces)}}`;
      return { type, seq, json };
    },

    finished(end: Step): RenderedEvent {
      seq += 1;
      contextEpoch = end.contextEpoch ?? contextEpoch;
      const at = end.finishedAt === null ? queuedMs : Date.parse(end.finishedAt);
      return { type: 'finished', seq, json: `{${ours('finished', at, true)},"step":${JSON.stringify(end)}}` };
    },
  };
}

function wholeFrame(bytes: Buffer): Frame {
  const frame = frameAt(bytes, 0);
  if (!frame) throw new FrameError('a frame of the log is cut off');
  return frame;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The payload as text without line breaks: an agent may put some between JSON tokens, and both stream formats end a line there. */
function oneLine(payload: Buffer): string {
  const text = payload.toString();
  if (!payload.includes(lineFeed) && !payload.includes(carriageReturn) && text.startsWith('{')) return text;
  return JSON.stringify(JSON.parse(text));
}
