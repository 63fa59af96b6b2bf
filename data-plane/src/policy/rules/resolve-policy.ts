import { isDeepStrictEqual } from 'node:util';
import {
  type Policy,
  type PolicyRequest,
  type PolicyRules,
  type PresetName,
  policyPresets,
  presetNames,
} from '@holdfast/specs/public';

/** Null: unrestricted. The registry has policies in this form, so that a session without rules is known at a glance. */
export type StoredPolicy = PolicyRules | null;

/** A policy that was stored before a rule existed has the rule of `unrestricted`. */
export function rulesOf(stored: StoredPolicy): PolicyRules {
  const { unrestricted } = policyPresets;
  return stored ? { ...stored, world: { ...unrestricted.world, ...stored.world } } : unrestricted;
}

/** All rules of a policy that a request gives in part; `beginning` is the policy with which it begins if it names no preset. Pure. */
export function resolvePolicy(request: PolicyRequest, beginning: StoredPolicy): StoredPolicy {
  if (typeof request === 'string') return presetPolicy(request);
  const { preset, ...given } = request;
  const rules = rulesOf(preset ? presetPolicy(preset) : beginning);
  return stored({
    allowedOperations: given.allowedOperations ?? rules.allowedOperations,
    deniedOperations: given.deniedOperations ?? rules.deniedOperations,
    world: { ...rules.world, ...given.world },
    llm: { ...rules.llm, ...given.llm },
    execution: { ...rules.execution, ...given.execution },
  } as PolicyRules);
}

export const presetPolicy = (preset: PresetName): StoredPolicy => stored(policyPresets[preset]);

const stored = (rules: PolicyRules): StoredPolicy =>
  isDeepStrictEqual(rules, policyPresets.unrestricted) ? null : rules;

/** The policy in the form that clients see. Pure. */
export function policyView(policy: StoredPolicy): Policy {
  const rules = rulesOf(policy);
  const preset = presetNames.find((name) => isDeepStrictEqual(rules, policyPresets[name]));
  return { preset: preset ?? null, ...rules };
}
