import type { KernelMessage } from '@holdfast/specs/kernel';
import { int4Max, isStepId } from '@holdfast/specs/public';

type Fields = Record<string, unknown>;

const mimeTypeMax = 256;

/**
 * Checks the two messages of almost every step as `kernelMessageSchema` does: a result whose values are texts, and the end of a step. The
 * schema takes many times as long. Returns null if a message is another one, has a further field or is not valid, so that the schema
 * decides. Pure.
 */
export function plainMessage(value: unknown): KernelMessage | null {
  if (typeof value !== 'object' || value === null) return null;
  const fields = value as Fields;
  if (!isStepId(fields.stepId)) return null;
  if (fields.type === 'result') return isResult(fields) ? (value as KernelMessage) : null;
  if (fields.type === 'done') return isDone(fields) ? (value as KernelMessage) : null;
  return null;
}

function isResult(fields: Fields): boolean {
  for (const name in fields) {
    if (name !== 'type' && name !== 'stepId' && name !== 'data' && name !== 'metadata' && name !== 'isMain')
      return false;
  }
  return typeof fields.isMain === 'boolean' && hasTexts(fields.data) && hasTexts(fields.metadata);
}

/** Whether it is an object of texts. Texts can be written as JSON again, whatever they are. */
function hasTexts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const name in value) {
    if (typeof (value as Fields)[name] !== 'string' || name.length > mimeTypeMax || name === '__proto__') return false;
  }
  return true;
}

function isDone(fields: Fields): boolean {
  for (const name in fields) {
    if (name === 'type' || name === 'stepId' || name === 'status') continue;
    if (name === 'unmarked' && areStreams(fields.unmarked)) continue;
    if (name === 'cpuMs' && isAmount(fields.cpuMs)) continue;
    if (name === 'memoryKb' && isAmount(fields.memoryKb) && Number.isInteger(fields.memoryKb)) continue;
    if (name !== 'late' || typeof fields.late !== 'boolean') return false;
  }
  return fields.status === 'succeeded' || fields.status === 'failed' || fields.status === 'interrupted';
}

const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= int4Max;

const areStreams = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= 2 && value.every((one) => one === 'stdout' || one === 'stderr');
