import * as z from 'zod';
import { int4, int4Max, storable } from './storable.ts';

/**
 * Ways in which a sandbox ends without our doing. They are end reasons of a session and causes of the steps that were lost with it.
 * `agent_silent`: the sandbox still ran, but its agent had not answered for so long that it was destroyed.
 */
export const sandboxEnds = [
  'sandbox_lost',
  'sandbox_exited',
  'oom_killed',
  'evicted',
  'node_lost',
  'deleted_by_operator',
  'agent_silent',
] as const;

/**
 * Reasons for the end of a step or a process other than its own code. `never_started`: it certainly did not run. `result_forgotten`: it ran, and its
 * record was purged. `result_refused`: it ran, and the registry cannot store the result that the sandbox reported. `earlier_step_failed`: it
 * did not run, as a step with `onError: "drop-queue"` before it did not succeed.
 */
export const causes = [
  'timeout',
  'interrupt',
  'context_restarted',
  'context_deleted',
  'session_ended',
  'kernel_exited',
  'kernel_killed',
  'process_exited',
  'never_started',
  'earlier_step_failed',
  'overran',
  'result_forgotten',
  'result_refused',
  'too_much_output',
  'memory_limit',
  'cpu_limit',
  'process_limit',
  'file_limit',
  'budget',
  'session_paused',
  'policy_changed',
  ...sandboxEnds,
] as const;

export const causeSchema = z.object({
  code: z.enum(causes),
  message: z
    .string()
    .max(2048)
    .overwrite((value) => storable(value))
    .optional(),
  exitCode: int4(-int4Max).optional(),
  signal: z
    .string()
    .regex(/^SIG[A-Z0-9+]{1,12}$/)
    .optional(),
});
export type Cause = z.infer<typeof causeSchema>;
