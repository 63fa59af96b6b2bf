import { type KernelMessage, kernelMessageSchema } from '@holdfast/specs/kernel';
import { symbolSchema } from '@holdfast/specs/public';
import { plainMessage } from './plain-message.ts';

/** A message of a step that was not valid. Nothing is left of it but its place among the others. */
export type DroppedMessage = { type: 'dropped'; stepId: string };

export type ReceivedMessage = KernelMessage | DroppedMessage;

/**
 * Parses a message of a kernel. An invalid message of a type that can be dropped becomes a `dropped` one, or null if it belongs to no
 * step: a value with a broken representation must not end the kernel and lose the context's memory.
 * @throws Error that names the fault if the text is not JSON or does not match the schema
 */
export function parseMessage(json: string): ReceivedMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error('a message is not JSON');
  }
  const plain = plainMessage(value);
  if (plain) return plain;
  if (!canBeWritten(value)) throw new Error('a message is nested too deep');
  const parsed = kernelMessageSchema.safeParse(withoutInvalidSymbols(value));
  if (parsed.success) return parsed.data;
  if (isDroppable(value)) return typeof value.stepId === 'string' ? { type: 'dropped', stepId: value.stepId } : null;
  const issue = parsed.error.issues[0];
  throw new Error(`a message is not valid: ${issue?.path.join('.')} ${issue?.message}`);
}

/**
 * Whether the values of a result can be written as JSON again, which goes down by recursion. The schema does not walk them. Texts, which
 * are almost all of them, are not tried.
 */
function canBeWritten(message: unknown): boolean {
  const { data, metadata, value } = Object(message) as { data?: unknown; metadata?: unknown; value?: unknown };
  const ofExpression = Object(value) as { data?: unknown; metadata?: unknown };
  const values = [data, metadata, ofExpression.data, ofExpression.metadata].flatMap((part) =>
    typeof part === 'string' ? [] : Object.values(Object(part)),
  );
  if (values.every((value) => typeof value === 'string')) return true;
  try {
    JSON.stringify(values);
    return true;
  } catch {
    return false;
  }
}

const droppable: readonly unknown[] = [
  'result',
  'result_update',
  'expression',
  'comm',
  'output_cleared',
  'completions',
  'inspection',
  'parsed',
  'background',
];

function isDroppable(value: unknown): value is { stepId?: unknown } {
  return typeof value === 'object' && value !== null && 'type' in value && droppable.includes(value.type);
}

/** Leaves out invalid symbols, for the same reason: inspecting a context must not end its kernel. */
function withoutInvalidSymbols(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('symbols' in value)) return value;
  const { symbols } = value;
  if (!Array.isArray(symbols)) return value;
  return { ...value, symbols: symbols.filter((symbol) => symbolSchema.safeParse(symbol).success) };
}

/** The fields of a message without its type and ids. */
export function payloadOf<Message extends { type: string }>(message: Message): Omit<Message, 'type' | 'stepId' | 'id'> {
  const { type: _type, stepId: _stepId, id: _id, ...payload } = message as Message & { stepId?: string; id?: number };
  return payload;
}
