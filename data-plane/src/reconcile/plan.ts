import type { EndReason } from '@holdfast/specs/public';
import type { Deadline } from '../registry/sessions/deadline-conditions.ts';
import type { SandboxCause, SandboxKey } from '../runtimes/runtime.ts';
import { deadlines, firstDeadline } from '../sessions/deadlines.ts';
import { hasSandbox, isKnownStatus, isTerminal, type TerminalStatus } from '../sessions/status.ts';

/**
 * A sandbox as the runtime has it now. It is `missing` if the runtime has none of its uid. With `silentSeconds` its agent does not answer this
 * replica, and is lost if no replica has heard it for so long.
 */
export type SandboxState =
  | { state: 'alive'; silentSeconds?: number }
  | { state: 'ended' | 'missing'; cause: SandboxCause };

/** A session as the registry has it now, and its sandbox as the runtime has it. */
export type SessionObservation = {
  of: 'session';
  sessionId: string;
  epoch: number;
  status: string;
  /** The registry's route; null if no sandbox is bound. `sandbox` is null if the runtime was not asked. */
  route: { epoch: number; uid: string; sandbox: SandboxState | null } | null;
  /** Null unless the registry says that the session is due. */
  due: {
    passed: readonly Deadline[];
    isSandboxGone: boolean;
    isDeletionRequested: boolean;
    /** Whether the removal of a sandbox that the live session does not use has stopped. */
    isSandboxLeft: boolean;
  } | null;
};

export type Observation =
  | SessionObservation
  | { of: 'warm sandbox'; sandbox: SandboxKey; state: SandboxState['state'] }
  /** A sandbox of this deployment that the registry does not know. */
  | { of: 'orphan'; sandbox: SandboxKey };

/** One epoch of a session, with the uid of its bound sandbox. */
type Incarnation = { sessionId: string; epoch: number; uid: string | null };

type End = Incarnation & { to: TerminalStatus; reason: EndReason; message?: string; ifPassed?: Deadline };

export type Action =
  | { act: 'nothing' }
  /** End the session; with `ifPassed`, only if that deadline has still passed. */
  | ({ act: 'end' } & End)
  /** Give the session another sandbox, let it wait for its host, or end it, as it has chosen. */
  | ({ act: 'lose' } & Incarnation & { cause: SandboxCause; ifUnheardSeconds?: number })
  /** Begin a recovery again with a new sandbox. */
  | ({ act: 'recover' } & Incarnation)
  /** Pause an idle session. */
  | ({ act: 'pause' } & Incarnation)
  /** Make a session active again whose pause was not finished. */
  | ({ act: 'stay' } & Incarnation)
  /** Remove the sandboxes of a session that it does not use any more, and the row of an ended one that the client has deleted. */
  | ({ act: 'remove-sandbox' } & Incarnation)
  /** Take a warm sandbox out of its pool and destroy it. */
  | ({ act: 'withdraw' } & SandboxKey)
  | ({ act: 'destroy' } & SandboxKey);

/** Decides what to do about an observation. Each action names the incarnation that was observed. Pure. */
export function plan(observation: Observation): Action {
  switch (observation.of) {
    case 'session':
      return planForSession(observation);
    case 'warm sandbox':
      return observation.state === 'alive' ? { act: 'nothing' } : { act: 'withdraw', ...observation.sandbox };
    case 'orphan':
      return { act: 'destroy', ...observation.sandbox };
  }
}

function planForSession({ sessionId, epoch, status, route, due }: SessionObservation): Action {
  const bound = route?.epoch === epoch ? route : null;
  const incarnation = { sessionId, epoch, uid: bound?.uid ?? null };
  if (!isKnownStatus(status)) return { act: 'nothing' };
  if (isTerminal(status)) {
    const isSomethingLeft = due && (!due.isSandboxGone || due.isDeletionRequested);
    return isSomethingLeft ? { act: 'remove-sandbox', ...incarnation } : { act: 'nothing' };
  }
  const deadline = due && firstDeadline(status, due.passed);
  if (deadline) {
    const rule = deadlines[deadline];
    if ('act' in rule) return { act: rule.act, ...incarnation };
    const { to, reason, message } = rule;
    return { act: 'end', ...incarnation, ifPassed: deadline, to, reason, ...(message && { message }) };
  }
  if (due?.isSandboxLeft) {
    return {
      act: 'remove-sandbox',
      ...incarnation,
      epoch: status === 'lost' || status === 'paused' ? epoch : epoch - 1,
      uid: null,
    };
  }
  // A session in `creating` or `recovering` has no bound sandbox: the replica that starts it, or the start deadline, ends it.
  const sandbox = hasSandbox(status) ? bound?.sandbox : null;
  if (!sandbox) return { act: 'nothing' };
  if (sandbox.state === 'alive') {
    const { silentSeconds: seconds } = sandbox;
    if (seconds === undefined) return { act: 'nothing' };
    const message = `the sandbox runs, but its agent has not answered for ${seconds} seconds`;
    return { act: 'lose', ...incarnation, cause: { reason: 'agent_silent', message }, ifUnheardSeconds: seconds };
  }
  return { act: 'lose', ...incarnation, cause: sandbox.cause };
}
