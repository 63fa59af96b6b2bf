import { frameAt } from '@holdfast/specs/agent';
import { eventContent } from '@holdfast/specs/public';

export type Stream = 'stdout' | 'stderr';

/** The output to a stream that the frames of a step contain. */
export async function* shownOutput(frames: readonly Buffer[], stream: Stream): AsyncGenerator<Buffer> {
  for (const bytes of frames) {
    const frame = frameAt(bytes, 0);
    if (frame?.type === stream) yield frame.payload;
  }
}

/** Whether the frames leave out some of the output to the stream. Pure. */
export function isOutputCut(frames: readonly Buffer[], stream: Stream): boolean {
  return frames.some((bytes) => {
    const frame = frameAt(bytes, 0);
    if (frame?.type !== 'truncated') return false;
    return eventContent.truncated.parse(JSON.parse(frame.payload.toString())).stream === stream;
  });
}
