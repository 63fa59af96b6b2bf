import fc from 'fast-check';

/** The part of JSON Schema that the OpenAPI document uses. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  pattern?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  items?: Schema;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
};

type Values = {
  /** The schemas that others refer to by name. */
  named: Readonly<Record<string, Schema>>;
  /** Values for fields of these names, in place of those of their schemas. */
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>;
};

const oddTexts = ['', ' ', '\0', '\ud800', '../..', '%00', '💥'.repeat(300), 'x'.repeat(70_000)];
const oddNumbers = [-1, 0, 0.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308];

/** Values for a schema: most of them fit it, and some are wrong in one place. */
export function valuesOf(values: Values, schema: Schema): fc.Arbitrary<unknown> {
  const odd = fc.oneof(
    fc.constantFrom<unknown>(...oddTexts, ...oddNumbers, null, true, [], {}),
    fc.jsonValue({ maxDepth: 1 }),
  );
  return fc.oneof({ weight: 7, arbitrary: fitting(values, schema) }, { weight: 1, arbitrary: odd });
}

function fitting(values: Values, schema: Schema): fc.Arbitrary<unknown> {
  const { named } = values;
  if (schema.$ref) return fitting(values, named[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => fitting(values, choice)));
  const types = [schema.type ?? []].flat();
  return types.length === 0
    ? fc.jsonValue({ maxDepth: 2 })
    : fc.oneof(...types.map((type) => ofType(values, schema, type)));
}

function ofType(values: Values, schema: Schema, type: string): fc.Arbitrary<unknown> {
  const { minimum, exclusiveMinimum, maximum = 1000 } = schema;
  const min = minimum ?? exclusiveMinimum ?? -1000;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(
        fc.integer({ min: Math.ceil(min), max: Math.min(maximum, 2 ** 31 - 1) }),
        fc.constantFrom(min, maximum),
      );
    case 'number':
      return fc.oneof(fc.double({ min, max: maximum, noNaN: true }), fc.constantFrom(min, maximum));
    case 'array':
      return fc.array(fitting(values, schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 3, 3) });
    case 'object':
      return ofObject(values, schema);
    default:
      return schema.pattern
        ? fc.stringMatching(new RegExp(schema.pattern))
        : fc.string({ unit: 'grapheme', maxLength: Math.min(schema.maxLength ?? 40, 40) });
  }
}

function ofObject(
  values: Values,
  { properties = {}, required = [], additionalProperties }: Schema,
): fc.Arbitrary<unknown> {
  const known = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, values.fields[name] ?? valuesOf(values, schema)]),
  );
  const whole = fc.record(known, { requiredKeys: required, noNullPrototype: true });
  const more = fc.dictionary(
    fc.constantFrom('a', 'B_2', '__proto__', 'HOLDFAST_X', '1', '', 'a/b~'),
    typeof additionalProperties === 'object' ? valuesOf(values, additionalProperties) : fc.constant(1),
    { maxKeys: 2, noNullPrototype: true },
  );
  const mixed = fc.tuple(whole, more).map(([fields, further]) => ({ ...fields, ...further }));
  return typeof additionalProperties === 'object'
    ? mixed
    : fc.oneof({ weight: 7, arbitrary: whole }, { weight: 1, arbitrary: mixed });
}
