import { type Change, changesPerFrameMax } from '@holdfast/specs/agent';
import type { StepLog } from './step-log.ts';

/** Puts what a step has changed in the workspace into its log, right before its last frame. No change is no frame. */
export function appendChanges(log: Pick<StepLog, 'append'>, changes: readonly Change[]): void {
  for (let at = 0; at < changes.length; at += changesPerFrameMax) {
    log.append('changes', { changes: changes.slice(at, at + changesPerFrameMax) });
  }
}
