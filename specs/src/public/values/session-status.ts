import { sandboxEnds } from './cause.ts';

export const sessionStatuses = [
  'creating',
  'active',
  'budget_exceeded',
  'lost',
  'recovering',
  'pausing',
  'paused',
  'resuming',
  'completed',
  'aborted',
  'expired',
  'failed',
] as const;

/** When a session loses its sandbox, it gets another one, waits for the host, or fails. */
export const recoveryModes = ['auto', 'manual', 'off'] as const;
/** Why a session lost its sandbox. */
export const lossReasons = [...sandboxEnds, 'step_overran', 'process_overran'] as const;
export type LossReason = (typeof lossReasons)[number];

/** A session that is idle for its idle timeout ends, or is paused. */
export const idleActions = ['end', 'pause'] as const;
export type IdleAction = (typeof idleActions)[number];

export type RecoveryMode = (typeof recoveryModes)[number];

export const endReasons = [
  'completed_by_host',
  'aborted_by_host',
  'job_ended',
  'idle_timeout',
  'max_age',
  'sandbox_start_timeout',
  'sandbox_start_failed',
  'runtime_unavailable',
  'image_pull_failed',
  'unschedulable',
  'recovery_failed',
  ...sandboxEnds,
  'step_overran',
  'process_overran',
  'too_much_output',
  'data_plane_stopped',
] as const;

export type SessionStatus = (typeof sessionStatuses)[number];
export type EndReason = (typeof endReasons)[number];
