import { encodeFrame } from '@holdfast/specs/agent';
import type { StepChanges } from './store-artifacts.ts';

type Place = {
  queuedAt: Date;
  /** The seq of the last frame before them. */
  afterSeq: number;
  at: Date;
};

/** The changes of a step as frames of its log (specs/src/agent/frames.ts). Pure. */
export function changeFrames({ queuedAt, afterSeq, at }: Place, { artifacts, proposals }: StepChanges): Buffer[] {
  const timeMs = Math.min(Math.max(0, at.getTime() - queuedAt.getTime()), 0xffffffff);
  const contents = [
    ...artifacts.map((artifact) => ['artifact', artifact] as const),
    ...proposals.map((proposal) => ['proposal', proposal] as const),
  ];
  return contents.map(([type, content], index) => {
    const frame = encodeFrame(type, afterSeq + 1 + index, content);
    frame.writeUInt32BE(timeMs, 8);
    return frame;
  });
}
