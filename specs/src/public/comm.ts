import * as z from 'zod';
import { actorNameSchema, actorSchema } from './step.ts';
import { json } from './values/result.ts';
import { text } from './values/storable.ts';

/** `comm_open`, `comm_msg` and `comm_close` of Jupyter's messaging protocol. */
const kind = z.enum(['open', 'message', 'close']);
const commId = text(256).min(1).meta({ description: 'Chosen by the side that opens the comm' });
const content = z.record(z.string(), json);

/** A message of a comm: a channel between an object in a kernel, such as a widget, and its view in a front end. */
export const commMessageSchema = z.object({
  commId,
  kind,
  targetName: z.string().max(256).nullable().meta({ description: 'The receiver; null unless the comm is opened' }),
  data: json.meta({ description: 'An object in most protocols, such as that of widgets' }),
  metadata: content,
  buffers: z.array(z.string()).max(1024).meta({ description: 'Binary data that belongs to `data`, as base64' }),
});
export type CommMessage = z.infer<typeof commMessageSchema>;

/** Values that are nested deeper could not be written or read again: all that does so goes down by recursion. */
const depthMax = 100;
const shallow = <Schema extends z.ZodType>(schema: Schema) =>
  schema.refine((value) => isWithin(depthMax, value), `must not be nested more than ${depthMax} deep`);

/** `comm` in the events of a step. */
export const commEventSchema = commMessageSchema.extend({
  sender: z.enum(['kernel', 'client']).meta({ description: 'The side that sent the message' }),
});
export type CommEvent = z.infer<typeof commEventSchema>;

/** `POST …/contexts/{contextId}/comms`: a message to the kernel, and the step that handles it. */
export const sendCommSchema = z
  .strictObject({
    commId,
    kind: kind.default('message'),
    targetName: text(256).min(1).optional().meta({ description: 'The receiver, only with the kind `open`' }),
    data: shallow(json).default({}),
    metadata: shallow(content).default({}),
    buffers: z.array(z.base64()).max(1024).default([]),
    actor: actorSchema.default('user'),
    actorName: actorNameSchema.optional(),
    timeoutSeconds: z.number().positive().max(86_400).optional(),
  })
  .refine(({ kind, targetName }) => (kind === 'open') === (targetName !== undefined), {
    message: 'must be given if and only if the comm is opened',
    path: ['targetName'],
  })
  .meta({ id: 'SendComm' });
export type SendComm = z.infer<typeof sendCommSchema>;

const isWithin = (depth: number, value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((inner) => isWithin(depth - 1, inner)));
