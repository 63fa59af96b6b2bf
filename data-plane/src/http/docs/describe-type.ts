import { type Html, html } from './html.ts';
import { type Schema, schemaName } from './open-api.ts';

/** The type of a schema in a few words. Named schemas become links. */
export function describeType(schema: Schema): Html {
  const name = schemaName(schema);
  if (name) return html`<a href="#schema-${name}">${name}</a>`;
  if (schema.enum)
    return html`${schema.enum.map((value, index) => html`${index > 0 && ' | '}<code>${JSON.stringify(value)}</code>`)}`;
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return html`${choices.map((choice, index) => html`${index > 0 && ' | '}${describeType(choice)}`)}`;
  if (schema.items) return html`array of ${describeType(schema.items)}`;
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') return html`map to ${describeType(additionalProperties)}`;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'any'];
  return html`${types.length > 4 ? 'any JSON' : types.join(' | ')}${schema.format && ` (${schema.format})`}`;
}

const characters = (count: number) => `${count} character${count === 1 ? '' : 's'}`;

/** The limits of a value in addition to its type, or an empty text if there are none. */
export function describeLimits(schema: Schema): string {
  const { minimum, exclusiveMinimum, maximum, minLength, maxLength } = schema;
  const safe = (value: number | undefined) =>
    value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
  return [
    safe(minimum) !== undefined && `at least ${minimum}`,
    exclusiveMinimum !== undefined && `more than ${exclusiveMinimum}`,
    safe(maximum) !== undefined && `at most ${maximum}`,
    minLength !== undefined && `at least ${characters(minLength)}`,
    maxLength !== undefined && `at most ${characters(maxLength)}`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ]
    .filter(Boolean)
    .join(', ');
}
