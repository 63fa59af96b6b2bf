import { matchesName } from './name-patterns.ts';
import { coversPath } from './path-patterns.ts';
import { rulesOf, type StoredPolicy } from './resolve-policy.ts';

/**
 * Whether the policy `after` allows nothing that `before` denies. In doubt the answer is no: each pattern is compared with single patterns, so that one
 * which only several others cover together counts as looser. Pure.
 */
export function isTighter(before: StoredPolicy, after: StoredPolicy): boolean {
  const policy = rulesOf(before);
  const next = rulesOf(after);
  const { world, llm, execution } = policy;
  return (
    everyCovered(next.allowedOperations, policy.allowedOperations, matchesName) &&
    everyCovered(policy.deniedOperations, next.deniedOperations, coversAnyCase) &&
    everyCovered(next.world.readPatterns, world.readPatterns, coversPath) &&
    everyCovered(next.world.writePatterns, world.writePatterns, coversPath) &&
    onlyOn(world.readOnly, next.world.readOnly) &&
    onlyOn(world.proposalMode, next.world.proposalMode) &&
    onlyOn(!world.codeMayCommit, !next.world.codeMayCommit) &&
    onlyOn(!llm.allowComplete, !next.llm.allowComplete) &&
    onlyOn(!llm.allowIntent, !next.llm.allowIntent) &&
    (next.llm.maxTokensPerCall ?? Infinity) <= (llm.maxTokensPerCall ?? Infinity) &&
    onlyOn(!execution.allowShellCommands, !next.execution.allowShellCommands) &&
    onlyOn(!execution.allowNetworkCalls, !next.execution.allowNetworkCalls) &&
    onlyOn(!execution.allowSubeval, !next.execution.allowSubeval)
  );
}

/** A restriction that is on stays on. */
const onlyOn = (before: boolean, after: boolean) => after || !before;

type Covers = (outer: string, inner: string) => boolean;

const everyCovered = (inner: readonly string[], outer: readonly string[], covers: Covers) =>
  inner.every((one) => outer.some((other) => covers(other, one)));

const coversAnyCase: Covers = (outer, inner) => matchesName(outer.toLowerCase(), inner.toLowerCase());
