import { Problem } from '@holdfast/specs/public';
import type { StepRecorder } from './recording/step-recorder.ts';

type RecordingDependencies = { isDraining(): boolean; recorder: Pick<StepRecorder, 'healthy'> };

/** Nothing begins whose end could not be recorded. Throws Problem 503. */
export function refuseUnlessRecording({ isDraining, recorder }: RecordingDependencies): void {
  if (isDraining()) throw new Problem('draining', { retryAfterSeconds: 1 });
  if (!recorder.healthy) throw new Problem('database-unavailable', { retryAfterSeconds: 1 });
}
