import * as z from 'zod';
import { omissionSchema, signedSecondsSchema } from './artifact.ts';
import { causeSchema } from './values/cause.ts';
import { environmentSchema } from './values/environment.ts';
import { jobIdSchema, sessionIdSchema } from './values/ids.ts';
import { filesSchema } from './values/inline-files.ts';
import { type JobLanguage, jobLanguageSchema } from './values/languages.ts';
import { programLimitsSchema, resourceUsageSchema } from './values/resources.ts';
import { text } from './values/storable.ts';
import { waitSchema } from './values/waiting.ts';
import { filePathSchema } from './values/workspace-path.ts';
import { webhooksSchema } from './webhook.ts';

/** The name of the program if the caller gives none. */
export const jobFilenames = {
  python: 'main.py',
  node: 'main.js',
  bun: 'main.ts',
  bash: 'main.sh',
} as const satisfies Record<JobLanguage, string>;

const runFields = {
  language: jobLanguageSchema,
  code: text(2_097_152),
  filename: filePathSchema
    .refine((path) => path !== '', 'must name a file')
    .optional()
    .meta({
      description:
        'The file that the code is written to, relative to the workspace; an existing file is replaced. By default the code lies outside the workspace, and finds modules there as if it lay in it',
    }),
  files: filesSchema.optional().meta({ description: 'Files to write before the job starts, by path' }),
  args: z.array(text(32_768)).max(256).default([]),
  env: environmentSchema.optional().meta({ description: 'Environment variables of the process' }),
  stdin: text(2_097_152).default('').meta({ description: 'The whole standard input of the process' }),
  timeoutSeconds: z.number().positive().max(86_400).optional(),
  wait: waitSchema,
  limits: programLimitsSchema.optional(),
};

type Named = { filename?: string | undefined; files?: { path: string }[] | undefined };

function refuseTwice({ filename, files = [] }: Named, context: z.RefinementCtx): void {
  if (!files.some(({ path }) => path === filename)) return;
  context.addIssue({
    code: 'custom',
    path: ['files'],
    message: `must not contain ${filename}, because the code is written to it`,
  });
}

/** `POST /v1/sessions/{sessionId}/jobs`: one file, run once in its own process. */
export const runSessionJobSchema = z.strictObject(runFields).superRefine(refuseTwice).meta({ id: 'RunSessionJob' });

/** `POST /v1/run`: the same, in a session that the request names or in a new one. */
export const runJobSchema = z
  .strictObject({
    sessionId: sessionIdSchema.optional().meta({
      description:
        "Runs the job in this session's workspace. By default it gets a new session, which is completed afterwards",
    }),
    ...runFields,
    webhooks: webhooksSchema
      .optional()
      .meta({ description: 'Those of the session that is created for the job; only without `sessionId`' }),
  })
  .superRefine(refuseTwice)
  .refine(({ sessionId, webhooks }) => !(sessionId && webhooks), {
    message: 'must not be given together with sessionId',
    path: ['webhooks'],
  })
  .meta({ id: 'RunJob' });
export type RunJob = z.infer<typeof runJobSchema>;

/** The fields that are recorded for a job in addition to those of every step. */
export const jobProgramSchema = z.object({ filename: z.string(), args: z.array(z.string()) });
export type JobProgram = z.infer<typeof jobProgramSchema>;

export const jobResultSchema = jobProgramSchema
  .extend({
    exitCode: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'null if a signal ended the process or the exit code is not known' }),
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
    status: z.string().meta({ description: 'One of the statuses of a step' }),
    exitCode: jobResultSchema.shape.exitCode,
    signal: z.string().nullable(),
    timedOut: z.boolean(),
    cause: causeSchema.nullable().meta({ description: 'The reason for the end if it was not the program itself' }),
    durationMs: z.number().nullable(),
    usage: resourceUsageSchema.nullable(),
    truncated: z.boolean().meta({ description: 'Whether stdout or stderr was longer than what is stored' }),
    stdout: z.string().optional().meta({ description: 'Only with `inline=true`' }),
    stderr: z.string().optional().meta({ description: 'Only with `inline=true`' }),
    artifacts: z.object({ inputs: urls, outputs: urls, omissions: z.record(z.string(), omissionSchema) }).meta({
      description: 'Download URLs by file name; `omissions` lists the files that were not stored, each with the reason',
    }),
  })
  .meta({ id: 'Job' });
export type Job = z.infer<typeof jobSchema>;

export const runJobQuerySchema = z.strictObject({
  inline: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true'),
  signedSeconds: signedSecondsSchema,
});
