import { displayIdCharactersMax } from '@holdfast/specs/public';
import * as z from 'zod';

/** The parts that are used of the contents of a kernel's messages ("Messaging in Jupyter"). Kernels leave out what they should not. */

/** Any JSON value. It is not walked, because a hostile one is nested deep. */
const json = z.custom<z.core.util.JSONType>();
const bundle = { data: z.record(z.string(), json), metadata: z.record(z.string(), json).catch({}) };
const failure = {
  ename: z.string().catch('Error'),
  evalue: z.string().catch(''),
  traceback: z.array(z.string()).catch([]),
};

export const streamSchema = z.object({ name: z.enum(['stdout', 'stderr']), text: z.string() });
export const statusSchema = z.object({ execution_state: z.string() });
export const bundleSchema = z.object({
  ...bundle,
  transient: z
    .object({ display_id: z.string().min(1).max(displayIdCharactersMax).optional().catch(undefined) })
    .catch({}),
});
export const clearSchema = z.object({ wait: z.boolean().catch(false) });
export const errorSchema = z.object(failure);
export const inputRequestSchema = z.object({ prompt: z.string().catch(''), password: z.boolean().catch(false) });

export const kernelInfoSchema = z.object({
  language_info: z
    .object({ name: z.string().catch(''), version: z.string().catch('') })
    .catch({ name: '', version: '' }),
});

const payloadSchema = z.object({ source: z.string(), ...bundle, data: bundle.data.catch({}) });

const expressionSchema = z.union([
  z.object({ status: z.literal('ok'), ...bundle }),
  z.object({ status: z.string(), ...failure }),
]);

export const executeReplySchema = z.object({
  status: z.string(),
  ...failure,
  payload: z.array(payloadSchema).catch([]),
  user_expressions: z.record(z.string(), expressionSchema).catch({}),
});
export type ExecuteReply = z.infer<typeof executeReplySchema>;

export const completeReplySchema = z.object({
  matches: z.array(z.string()),
  cursor_start: z.number().int().min(0),
  cursor_end: z.number().int().min(0),
  /** IPython's addition, which other kernels have taken over. */
  metadata: z
    .object({ _jupyter_types_experimental: z.array(z.object({ text: z.string(), type: z.string() })).catch([]) })
    .catch({ _jupyter_types_experimental: [] }),
});

export const inspectReplySchema = z.object({ found: z.boolean().catch(false), data: bundle.data.catch({}) });

export const isCompleteReplySchema = z
  .object({
    status: z.enum(['complete', 'incomplete', 'invalid', 'unknown']).catch('unknown'),
    indent: z.string().max(1024).catch(''),
  })
  .catch({ status: 'unknown', indent: '' });
