import { encodeFrame, type Frame, frameAt, frameTypes } from '@holdfast/specs/agent';
import type { OperationRequest } from '@holdfast/specs/public';

/** The rules by which the policy denies calls, by the ids of the calls. */
export type Denials = ReadonlyMap<string, string>;

/** The frames that clients see: a call that the policy denies is not shown as a request, so that no host carries it out. Pure. */
export function showDenials(frames: readonly Buffer[], denials: Denials): readonly Buffer[] {
  return denials.size === 0 ? frames : frames.map((bytes) => denied(bytes, denials) ?? bytes);
}

function denied(bytes: Buffer, denials: Denials): Buffer | null {
  if (bytes[0] !== frameTypes.operation_request) return null;
  const { seq, timeMs, payload } = frameAt(bytes, 0) as Frame;
  const { operationId, name } = JSON.parse(payload.toString()) as OperationRequest;
  const rule = denials.get(operationId);
  if (rule === undefined) return null;
  const frame = encodeFrame('operation_denied', seq, { operationId, name, rule });
  frame.writeUInt32BE(timeMs, 8);
  return frame;
}
