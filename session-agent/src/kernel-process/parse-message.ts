import { type KernelMessage, kernelMessageSchema } from '@holdfast/specs/kernel';
import { symbolSchema } from '@holdfast/specs/public';

/**
 * A kernel's message. Null for a droppable one that is none of the schema's: what a value shows of itself must not cost the
 * context's memory.
 * @throws Error naming the fault on what is no JSON or none of the schema's.
 */
export function parseMessage(json: string): KernelMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error('a message is not JSON');
  }
  // `safeParse` itself throws where the nesting is deeper than the stack.
  const parsed = kernelMessageSchema.safeParse(withoutBadSymbols(value));
  if (parsed.success) return parsed.data;
  if (isDroppable(value)) return null;
  const issue = parsed.error.issues[0];
  throw new Error(`a message is not valid: ${issue?.path.join('.')} ${issue?.message}`);
}

const droppable: readonly unknown[] = ['result', 'completions', 'inspection', 'background'];

function isDroppable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && droppable.includes(value.type);
}

/** Leaves out symbols that are none of the schema's: to look at a context must not cost its memory. */
function withoutBadSymbols(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('symbols' in value)) return value;
  const { symbols } = value;
  if (!Array.isArray(symbols)) return value;
  return { ...value, symbols: symbols.filter((symbol) => symbolSchema.safeParse(symbol).success) };
}
