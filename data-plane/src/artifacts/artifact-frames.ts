import { encodeFrame } from '@holdfast/specs/agent';
import type { ArtifactContent } from './artifact-view.ts';

type Place = {
  queuedAt: Date;
  /** The seq of the last frame before the artifacts. */
  afterSeq: number;
  at: Date;
};

/** The artifacts of a step as frames of its log (specs/src/agent/frames.ts). Pure. */
export function artifactFrames({ queuedAt, afterSeq, at }: Place, artifacts: readonly ArtifactContent[]): Buffer[] {
  const timeMs = Math.min(Math.max(0, at.getTime() - queuedAt.getTime()), 0xffffffff);
  return artifacts.map((artifact, index) => {
    const frame = encodeFrame('artifact', afterSeq + 1 + index, artifact);
    frame.writeUInt32BE(timeMs, 8);
    return frame;
  });
}
