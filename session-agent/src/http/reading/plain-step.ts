import type { AgentStep } from '@holdfast/specs/agent';
import { isBuiltIn, isContextId, isStepId } from '@holdfast/specs/public';

const acksMax = 10_000;
const requiredFields = 5;

/**
 * Checks the request for a step as `agentStepSchema` does, for the fields that almost all have: the schema costs more than the rest of the
 * agent's own work for such a step. Returns null if the request has another field or is not valid, so that the schema decides. Pure.
 */
export function plainStep(value: unknown): AgentStep | null {
  if (typeof value !== 'object' || value === null) return null;
  const fields = value as Record<string, unknown>;
  let required = 0;
  for (const name in fields) {
    const isValid = isValidField(name, fields[name]);
    if (!isValid) return null;
    if (isValid === 'required') required += 1;
  }
  return required === requiredFields ? (value as AgentStep) : null;
}

function isValidField(name: string, value: unknown): 'required' | boolean {
  switch (name) {
    case 'stepId':
      return isStepId(value) && 'required';
    case 'contextId':
      return (isBuiltInName(value) || isContextId(value)) && 'required';
    case 'code':
      return typeof value === 'string' && 'required';
    case 'timeoutMs':
      return isPositive(value) && 'required';
    case 'queue':
      return (value === 'wait' || value === 'reject') && 'required';
    case 'language':
      return isBuiltInName(value);
    case 'stdin':
      return typeof value === 'boolean';
    case 'ifContextEpoch':
      return isPositive(value);
    case 'acks':
      return Array.isArray(value) && value.length <= acksMax && value.every(isStepId);
    default:
      return false;
  }
}

const isBuiltInName = (value: unknown) => typeof value === 'string' && isBuiltIn(value);
const isPositive = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1;
