import { operationNameLengthMax, operationNamePattern, type PolicyRules } from '@holdfast/specs/public';
import { matchesName } from './name-patterns.ts';
import { allowsPath } from './path-patterns.ts';

/** An operation that code asks for. */
export type Asked = {
  operation: string;
  /** The path in the world, if the operation has one. */
  path?: string;
  /** The tokens that the call may spend, if it says so. */
  maxTokens?: number;
};

/** `rule` names the part of the policy that denies. */
export type Decision = { allowed: true } | { allowed: false; rule: string };

const allowed: Decision = { allowed: true };
const denied = (rule: string): Decision => ({ allowed: false, rule });

/** Decides whether code may call an operation. `policy` is null if the session is unrestricted. Pure. */
export function decide(policy: PolicyRules | null, asked: Asked): Decision {
  const { operation } = asked;
  if (operation.length > operationNameLengthMax || !operationNamePattern.test(operation))
    return denied('operationName');
  if (!policy) return allowed;
  // A name in another case may be the same operation for the host, so it is denied with it, and never allowed with it.
  const anyCase = operation.toLowerCase();
  const denying = policy.deniedOperations.find((pattern) => matchesName(pattern.toLowerCase(), anyCase));
  if (denying !== undefined) return denied(`deniedOperations: ${denying}`);
  if (!policy.allowedOperations.some((pattern) => matchesName(pattern, operation))) return denied('allowedOperations');
  const rule = brokenRules[anyCase]?.(policy, asked);
  return rule ? denied(rule) : allowed;
}

type BrokenRule = (policy: PolicyRules, asked: Asked) => string | false;

const breaksRead: BrokenRule = ({ world }, { path }) =>
  path !== undefined && !allowsPath(world.readPatterns, path) && 'world.readPatterns';

const breaksWrite: BrokenRule = ({ world }, { path }) => {
  if (world.readOnly) return 'world.readOnly';
  return path !== undefined && !allowsPath(world.writePatterns, path) && 'world.writePatterns';
};

const breaksTokens: BrokenRule = ({ llm: { maxTokensPerCall } }, { maxTokens }) =>
  maxTokensPerCall !== null && maxTokens !== undefined && !(maxTokens <= maxTokensPerCall) && 'llm.maxTokensPerCall';

const breaksSubeval: BrokenRule = ({ execution }) => !execution.allowSubeval && 'execution.allowSubeval';

/** The rules for operations that the policy knows by name. */
const brokenRules: Readonly<Record<string, BrokenRule | undefined>> = Object.assign(Object.create(null), {
  'world.read': breaksRead,
  'world.list': breaksRead,
  'world.search': breaksRead,
  'world.write': breaksWrite,
  'llm.complete': (policy, asked) => (policy.llm.allowComplete ? breaksTokens(policy, asked) : 'llm.allowComplete'),
  'llm.intent': (policy, asked) => (policy.llm.allowIntent ? breaksTokens(policy, asked) : 'llm.allowIntent'),
  eval: breaksSubeval,
  fixpoint: breaksSubeval,
} satisfies Record<string, BrokenRule>);

/** Languages whose programs can be kept from starting other programs. A Jupyter kernel could be a shell itself. */
const confinable: ReadonlySet<string> = new Set(['python', 'node', 'bun', 'ruby']);

/** Decides whether code of a language may run, as a step, as a job or in a new context. Pure. */
export function decideLanguage(policy: PolicyRules | null, language: string): Decision {
  if (!policy || policy.execution.allowShellCommands) return allowed;
  return confinable.has(language) ? allowed : denied('execution.allowShellCommands');
}
