import type { Artifact, AuditEntry, Session, Step } from '@holdfast/specs/public';
import type { Exchange } from '../clients/ledger.ts';
import type { FaultRecord } from '../faults/fault.ts';

/** Files by path, each with its SHA-256. */
export type Tree = ReadonlyMap<string, string>;

/** Everything that could be found out about one session after the faults, when all was at rest. */
export type SessionEvidence = {
  id: string;
  deployment: string;
  /** The status of `GET /v1/sessions/{id}`, and the session if it is 200. */
  status: number;
  session: Session | null;
  history: Step[];
  audit: AuditEntry[];
  artifacts: Artifact[];
  /** The files that the registry has. */
  world: Tree;
  /** The files of the sandbox; null without a sandbox. */
  workingCopy: Tree | null;
  /** The pods whose name comes from the session's id, each with the number of its processes that are agents. */
  pods: { name: string; phase: string; agents: number }[];
};

export type Evidence = {
  exchanges: readonly Exchange[];
  /** How often each mark ran, as the code itself wrote it down. */
  runs: ReadonlyMap<string, number>;
  sessions: readonly SessionEvidence[];
  faults: readonly FaultRecord[];
  /** Replicas that were not ready, and rows that were not at rest, when the wait for rest was over. */
  unrest: readonly string[];
  /** After every session was deleted: what was still there. */
  leftovers: readonly string[];
};

export type Violation = {
  rule: string;
  sessionId: string | null;
  mark?: string | null | undefined;
  path?: string;
  detail: string;
};

/** Whether a fault of one of these kinds touched the target within the time. Detection and repair take a moment after the fault. */
export function explains(
  { faults }: Pick<Evidence, 'faults'>,
  {
    kinds,
    target,
    from,
    until,
  }: { kinds: readonly FaultRecord['kind'][]; target?: string; from: number; until: number },
): boolean {
  return faults.some(
    (fault) =>
      kinds.includes(fault.kind) &&
      (target === undefined || fault.target === target) &&
      fault.from <= until &&
      fault.until + afterwardsMs >= from,
  );
}

const afterwardsMs = 5_000;
