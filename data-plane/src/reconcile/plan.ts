import type { EndReason } from '@holdfast/specs/public';
import type { Deadline } from '../registry/sessions/due.ts';
import type { Sandbox, SandboxCause, SandboxKey } from '../runtimes/runtime.ts';

/** What was seen of one session or sandbox. */
export type Observation =
  | { seen: 'due'; sessionId: string; epoch: number; due: Due }
  | { seen: 'sandbox-lost'; sessionId: string; cause: SandboxCause }
  | { seen: 'warm-lost'; sandbox: SandboxKey }
  | { seen: 'orphan'; sandbox: Sandbox };

type Due = Deadline | 'unswept' | 'deletable';

/** What is to be done about it, with the incarnation that it is done to. */
export type Action =
  | {
      act: 'end';
      sessionId: string;
      /** Only where this deadline still has passed. */
      ifDue?: Deadline;
      to: 'completed' | 'expired' | 'failed';
      reason: EndReason;
      message?: string;
    }
  | { act: 'remove-sandbox'; sessionId: string; epoch: number }
  | { act: 'withdraw'; name: string; uid: string }
  | { act: 'destroy'; name: string; uid: string };

/** Decides; `apply` does. Pure. */
export function plan(observation: Observation): Action {
  switch (observation.seen) {
    case 'sandbox-lost':
      return { act: 'end', sessionId: observation.sessionId, to: 'failed', ...observation.cause };
    case 'warm-lost':
      return { act: 'withdraw', name: observation.sandbox.name, uid: observation.sandbox.uid };
    case 'orphan':
      return { act: 'destroy', name: observation.sandbox.name, uid: observation.sandbox.uid };
    case 'due':
      return planDue(observation);
  }
}

function planDue({ sessionId, epoch, due }: Observation & { seen: 'due' }): Action {
  switch (due) {
    case 'start_overdue':
      return { act: 'end', sessionId, ifDue: due, to: 'failed', reason: 'sandbox_start_timeout' };
    case 'job_ended':
      return { act: 'end', sessionId, ifDue: due, to: 'completed', reason: 'job_ended' };
    case 'max_age':
      return { act: 'end', sessionId, ifDue: due, to: 'expired', reason: 'max_age' };
    case 'idle':
      return { act: 'end', sessionId, ifDue: due, to: 'expired', reason: 'idle_timeout' };
    case 'unswept':
    case 'deletable':
      return { act: 'remove-sandbox', sessionId, epoch };
  }
}
