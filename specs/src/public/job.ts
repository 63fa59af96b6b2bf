import * as z from 'zod';
import { omissionSchema } from './artifact.ts';
import { environmentSchema } from './environment.ts';
import { filePathSchema, filesSchema } from './file.ts';
import { jobIdSchema, sessionIdSchema } from './ids.ts';
import { type JobLanguage, jobLanguageSchema } from './languages.ts';
import { text } from './text.ts';

/** What runs where the caller names no file. */
export const jobFilenames = {
  python: 'main.py',
  node: 'main.js',
  bun: 'main.ts',
  bash: 'main.sh',
} as const satisfies Record<JobLanguage, string>;

/** `POST /v1/run`: one file, run once in a process of its own. */
export const runJobSchema = z
  .strictObject({
    sessionId: sessionIdSchema.optional().meta({
      description: "Runs in this session's workspace; without it in a session of its own, completed afterwards",
    }),
    language: jobLanguageSchema,
    code: text(2_097_152),
    filename: filePathSchema
      .refine((path) => path !== '', 'must name a file')
      .optional()
      .meta({
        description:
          'Where the code is written, relative to the workspace, also over a file that is there; by default main.py and the like, and in a given session a name of its own that goes with the job',
      }),
    files: filesSchema.optional().meta({ description: 'Files that are written first, by path' }),
    args: z.array(text(32_768)).max(256).default([]),
    env: environmentSchema.optional().meta({ description: 'Environment variables of the process' }),
    stdin: text(2_097_152).default('').meta({ description: 'All that the process can read from its standard input' }),
    timeoutSeconds: z.number().positive().max(86_400).optional(),
  })
  .superRefine(({ files = [], ...job }, context) => {
    const filename = knownFilename(job);
    if (!files.some(({ path }) => path === filename)) return;
    context.addIssue({
      code: 'custom',
      path: ['files'],
      message: `has ${filename}, which is where the code is written`,
    });
  })
  .meta({ id: 'RunJob' });
export type RunJob = z.infer<typeof runJobSchema>;

type Naming = { filename?: string | undefined; sessionId?: string | undefined; language: JobLanguage };

/** Where the code of a job is written; null where it is a name of its own. Pure. */
export const knownFilename = ({ filename, sessionId, language }: Naming): string | null =>
  filename ?? (sessionId ? null : jobFilenames[language]);

/** What is recorded of a job beside what every step has. */
export const jobProgramSchema = z.object({ filename: z.string(), args: z.array(z.string()) });
export type JobProgram = z.infer<typeof jobProgramSchema>;

export const jobResultSchema = jobProgramSchema
  .extend({
    exitCode: z.number().int().nullable().meta({ description: 'null where a signal ended it, or nobody knows' }),
    signal: z.string().nullable(),
    timedOut: z.boolean(),
  })
  .meta({ id: 'JobResult' });
export type JobResult = z.infer<typeof jobResultSchema>;

const urls = z.record(z.string(), z.string());

export const jobSchema = z
  .object({
    sessionId: sessionIdSchema,
    id: jobIdSchema,
    language: jobLanguageSchema,
    status: z.string().meta({ description: 'As of a step' }),
    exitCode: jobResultSchema.shape.exitCode,
    signal: z.string().nullable(),
    timedOut: z.boolean(),
    durationMs: z.number().nullable(),
    truncated: z.boolean().meta({ description: 'It wrote more than is kept of stdout or stderr' }),
    stdout: z.string().optional().meta({ description: 'With `inline=true`' }),
    stderr: z.string().optional().meta({ description: 'With `inline=true`' }),
    artifacts: z
      .object({ inputs: urls, outputs: urls, omissions: z.record(z.string(), omissionSchema) })
      .meta({ description: 'Download URLs by file name; what was not kept, and why' }),
  })
  .meta({ id: 'Job' });
export type Job = z.infer<typeof jobSchema>;

export const runJobQuerySchema = z.strictObject({
  inline: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true'),
  signedSeconds: z.coerce.number().int().min(1).max(604_800).optional(),
});
