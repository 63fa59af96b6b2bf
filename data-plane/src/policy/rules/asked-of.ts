import type { Asked } from './decide.ts';

/**
 * Reads from the arguments of a call which path and how many tokens it asks for. Without a path the operation is called wrongly
 * and does not run. A number of tokens of another form than expected asks for something that no rule allows. Pure.
 */
export function askedOf(operation: string, args: readonly unknown[]): Asked {
  const anyCase = operation.toLowerCase();
  if (pathFirst.has(anyCase)) return typeof args[0] === 'string' ? { operation, path: args[0] } : { operation };
  if (!anyCase.startsWith('llm.')) return { operation };
  const asked = args.flatMap((arg) => (typeof arg === 'object' && arg !== null ? tokensIn(arg) : []));
  return asked.length > 0 ? { operation, maxTokens: Math.max(...asked) } : { operation };
}

const pathFirst: ReadonlySet<string> = new Set(['world.read', 'world.write']);
const tokenNames: ReadonlySet<string> = new Set(['maxtokens', 'max_tokens', 'max-tokens']);

function tokensIn(options: object): number[] {
  const given = Object.entries(options).filter(([name]) => tokenNames.has(name.toLowerCase()));
  return given.map(([, tokens]) => (typeof tokens === 'number' ? tokens : Number.POSITIVE_INFINITY));
}
