import * as z from 'zod';
import { int4Max } from './storable.ts';

const memoryMb = z.number().int().min(16).max(1_048_576).optional();
const cpuSeconds = z.number().int().min(1).max(31_536_000).optional();
const processesMax = z.number().int().min(1).max(65_536).optional();
const fileMb = z
  .number()
  .int()
  .min(1)
  .max(1_048_576)
  .optional()
  .meta({ description: 'The size of each file that is written (RLIMIT_FSIZE)' });

/** Limits of a kernel's process (setrlimit(2)), in addition to the sandbox's own. Each of its child processes has the same limits for itself. */
export const contextLimitsSchema = z
  .strictObject({
    memoryMb: memoryMb.meta({ description: 'Data of the process (RLIMIT_DATA)' }),
    cpuSeconds: cpuSeconds.meta({ description: 'CPU time of its whole life (RLIMIT_CPU)' }),
    processesMax: processesMax.meta({
      description: 'The context can start no process while the whole sandbox runs this many or more (RLIMIT_NPROC)',
    }),
    fileMb,
  })
  .meta({ id: 'ContextLimits' });
export type ContextLimits = z.infer<typeof contextLimitsSchema>;

/**
 * Limits of a program with all processes that it starts, in addition to the sandbox's own. They are measured ten times a second, so a
 * program may be over a limit for that long before it is ended.
 */
export const programLimitsSchema = z
  .strictObject({
    memoryMb: memoryMb.meta({
      description: 'Memory that belongs to these processes alone; the cause is `memory_limit`',
    }),
    cpuSeconds: cpuSeconds.meta({ description: 'CPU time of all of them; the cause is `cpu_limit`' }),
    processesMax: processesMax.meta({ description: 'The number of these processes; the cause is `process_limit`' }),
    fileMb: fileMb.meta({
      description:
        'The size of each file that is written (RLIMIT_FSIZE). The cause is `file_limit` if the program does not handle the failure to write',
    }),
  })
  .meta({ id: 'ProgramLimits' });
export type ProgramLimits = z.infer<typeof programLimitsSchema>;

/** The use of CPU and memory, as the sandbox reports it. */
export const resourceUsageSchema = z
  .object({
    cpuSeconds: z
      .number()
      .min(0)
      .max(int4Max)
      .meta({ description: 'CPU time, with that of child processes that have ended' }),
    memoryBytesMax: z
      .number()
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .meta({ description: 'The most memory that the process has had in its life so far (its resident set)' }),
  })
  .meta({ id: 'ResourceUsage' });
export type ResourceUsage = z.infer<typeof resourceUsageSchema>;

const bytes = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** The use of a sandbox at one moment, as it reports it. */
export const sandboxUsageSchema = z
  .object({
    memoryBytes: bytes.meta({ description: 'The resident sets of all its processes' }),
    processes: z.number().int().min(0).max(int4Max),
    diskBytesUsed: bytes.meta({ description: 'The file system that has the workspace' }),
    diskBytesTotal: bytes,
  })
  .meta({ id: 'SandboxUsage' });
export type SandboxUsage = z.infer<typeof sandboxUsageSchema>;

/** `GET /v1/sessions/{sessionId}/usage` */
export const sessionUsageSchema = z
  .object({
    cpuSeconds: z.number().meta({ description: 'CPU time of all steps and jobs, also of those that were purged' }),
    memoryBytesMax: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'The most memory that one of their processes has had; null before the first' }),
    historyBytes: z.number().int().meta({ description: 'Code and events of the steps that are stored' }),
    keptBytes: z.number().int().meta({ description: 'Files and artifacts that are stored' }),
    sandbox: sandboxUsageSchema
      .nullable()
      .meta({ description: 'null if the session has no sandbox, or it does not answer' }),
  })
  .meta({ id: 'SessionUsage' });
export type SessionUsage = z.infer<typeof sessionUsageSchema>;
