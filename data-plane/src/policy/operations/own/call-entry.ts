import type { NewAuditEntry } from '../../../registry/audit/record-audit.ts';
import type { CallingStep } from '../../../steps/drive-step.ts';
import { auditArguments } from '../../audit/audit-arguments.ts';
import type { Decision } from '../../rules/decide.ts';

type Called = { operation: string; arguments: Record<string, unknown>; decision: Decision };

/** The entry of a call of a step's code. Pure. */
export const callEntry = (
  { live, route }: Pick<CallingStep, 'live' | 'route'>,
  { operation, decision, ...called }: Called,
): NewAuditEntry => ({
  sessionId: live.sessionId,
  tenant: route.tenant,
  actor: live.actor,
  keyId: live.start.keyId,
  operation,
  arguments: auditArguments(called.arguments),
  ...(decision.allowed ? { decision: 'allowed' } : { decision: 'denied', rule: decision.rule }),
  stepId: live.id,
});
