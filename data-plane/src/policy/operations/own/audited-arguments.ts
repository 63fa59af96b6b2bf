/**
 * The part of a call's arguments that the audit log keeps. It leaves out code, variables, and texts to be stored, as the log outlives all
 * that. The arguments of an operation that the data-plane does not know are the business of its host. Pure.
 */
export function auditedArguments(operation: string, args: readonly unknown[]): Record<string, unknown> {
  const name = operation.toLowerCase();
  if (running.has(name)) return { arguments: args.slice(0, 1).map(placeOf) };
  const kept = keptArguments[name];
  return { arguments: kept === undefined ? args : args.slice(0, kept) };
}

const running: ReadonlySet<string> = new Set(['eval', 'fixpoint']);

/** How many arguments come before the one that is stored. */
const keptArguments: Readonly<Record<string, number | undefined>> = Object.assign(Object.create(null), {
  'world.write': 1,
  'memo.put': 1,
  'facts.assert': 2,
});

function placeOf(request: unknown): Record<string, unknown> {
  const { contextId, language } = Object(request) as Record<string, unknown>;
  return { ...(contextId !== undefined && { contextId }), ...(language !== undefined && { language }) };
}
