import type { AuditActor } from '@holdfast/specs/public';
import type { NewAuditEntry } from '../../registry/audit/record-audit.ts';
import type { NewProposal } from '../../registry/proposals/insert-proposal.ts';
import { auditArguments } from '../audit/audit-arguments.ts';
import type { WorldRule } from './world-rules.ts';

type AppliedRules = {
  session: { sessionId: string; tenant: string };
  by: { actor: AuditActor; keyId?: string | null; stepId: string | null };
  proposal: NewProposal | null;
  refused: ReadonlyMap<string, WorldRule>;
};

const pathsListedMax = 20;
/** As JSON, so that the entry keeps the count. */
const pathsBytesMax = 3000;

/** The entries for a proposal that is made, and for changes that were put back, one for each rule. Pure. */
export function auditApplied({ session, by, proposal, refused }: AppliedRules): NewAuditEntry[] {
  const { sessionId, tenant } = session;
  const entry = { sessionId, tenant, ...by };
  const denied = [...new Set(refused.values())].map((rule): NewAuditEntry => {
    const paths = [...refused].flatMap(([path, broken]) => (broken === rule ? [path] : []));
    const given = auditArguments({ paths: listed(paths), count: paths.length });
    return { ...entry, operation: 'world.change', arguments: given, decision: 'denied', rule };
  });
  if (!proposal) return denied;
  const given = { proposalId: proposal.id, count: proposal.changes.length };
  return [{ ...entry, operation: 'proposal.create', arguments: given, decision: 'allowed' }, ...denied];
}

function listed(paths: readonly string[]): string[] {
  let bytes = 0;
  return paths.slice(0, pathsListedMax).filter((path) => {
    bytes += Buffer.byteLength(JSON.stringify(path)) + 1;
    return bytes <= pathsBytesMax;
  });
}
