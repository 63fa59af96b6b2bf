import * as z from 'zod';
import { rejectProtoKey, text } from './storable.ts';

/** Any JSON value. It is not walked: what is checked has been parsed as JSON, and a hostile value can be large. */
export const json = z
  .custom<z.core.util.JSONType>((value) => value !== undefined, 'must be a JSON value')
  .meta({ type: ['string', 'number', 'boolean', 'null', 'array', 'object'], items: {}, additionalProperties: true });

export const displayIdCharactersMax = 256;

/** A MIME bundle as in Jupyter's messaging: text as text, binary types as base64, JSON types as JSON. */
const bundle = {
  data: z.record(z.string().max(256), json),
  metadata: z.record(z.string(), json).meta({
    description:
      'By MIME type: of PNG and JPEG images `width` and `height`. Beside these, `omitted` names the entries that were too large',
  }),
};
const displayId = z.string().min(1).max(displayIdCharactersMax);

/** New content of the results with this `displayId`. */
export const resultUpdateSchema = z.object({ displayId, ...bundle });
export type ResultUpdate = z.infer<typeof resultUpdateSchema>;

/** `displayId` and `isMain` stand first, so that the beginning of a result tells what an update makes of it. */
export const resultSchema = z
  .object({
    displayId: displayId.optional().meta({
      description:
        'A name by which later code gives the result other content, as an event `result_update`. In the step, the result has the content of the last one of that step',
    }),
    isMain: z.boolean().meta({ description: "Whether this is the value of the step's last expression" }),
    ...bundle,
  })
  .meta({ id: 'Result' });
export type Result = z.infer<typeof resultSchema>;

export const stepErrorSchema = z.object({ name: z.string(), message: z.string(), traceback: z.array(z.string()) });
export type StepError = z.infer<typeof stepErrorSchema>;

const expressionsMax = 32;
const expressionsBytesMax = 65_536;

/** Expressions of a request by the names that its client gives them. */
export const expressionsSchema = rejectProtoKey(
  z
    .record(text(128).min(1), text(16_384).min(1))
    .refine(
      (expressions) => Object.keys(expressions).length <= expressionsMax,
      `must have at most ${expressionsMax} entries`,
    )
    .refine(
      (expressions) => Buffer.byteLength(Object.entries(expressions).join()) <= expressionsBytesMax,
      'must be at most 64 KiB in all',
    ),
);
export type Expressions = z.infer<typeof expressionsSchema>;

/** All values of the expressions of a step together, as JSON. */
export const expressionValuesBytesMax = 1_048_576;

/** The value of an expression as a MIME bundle, or the error that it has raised. */
export const expressionResultSchema = z
  .union([z.object(bundle), z.object({ error: stepErrorSchema })])
  .meta({ id: 'ExpressionResult' });
export type ExpressionResult = z.infer<typeof expressionResultSchema>;
