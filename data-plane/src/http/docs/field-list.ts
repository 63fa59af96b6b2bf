import { describeLimits, describeType } from './describe-type.ts';
import { type Html, html, prose } from './html.ts';
import type { Parameter, Schema } from './open-api.ts';

type Field = { name: string; place?: string; required: boolean; description?: string; schema: Schema };

export const parameterList = (parameters: readonly Parameter[]): Html =>
  fieldList(
    parameters.map(({ name, in: place, required = false, description, schema }) => ({
      name,
      place,
      required,
      description,
      schema,
    })),
  );

/** The fields of an object. For a choice between objects: their shared fields, then the other fields of each. For other schemas: the type. */
export function schemaFields(schema: Schema): Html {
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) {
    const shared = sharedFields(choices);
    const others = choices.map((choice) =>
      fieldsOf(choice).filter(({ name }) => !shared.some((field) => field.name === name)),
    );
    return html`${fieldList(shared)}${others.map((fields) => html`<div class="choice">${fieldList(fields)}</div>`)}`;
  }
  return schema.properties ? fieldList(fieldsOf(schema)) : html`<p>${describeType(schema)}</p>`;
}

const fieldsOf = ({ properties = {}, required = [] }: Schema): Field[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    description: schema.description,
    schema,
  }));

function sharedFields([first, ...rest]: readonly Schema[]): Field[] {
  const same = (name: string, schema: Schema) =>
    rest.every(({ properties }) => JSON.stringify(properties?.[name]) === JSON.stringify(schema));
  return first ? fieldsOf(first).filter(({ name, schema }) => same(name, schema)) : [];
}

/** Marks the required fields, or the optional ones if most fields are required. */
function fieldList(fields: readonly Field[]): Html {
  const optional = fields.filter(({ required }) => !required).length;
  const mark = optional * 2 < fields.length ? 'optional' : 'required';
  return html`<dl class="fields">${fields.map((field) => fieldRow(field, mark))}</dl>`;
}

function fieldRow({ name, place, required, description, schema }: Field, mark: 'optional' | 'required'): Html {
  const marked = required === (mark === 'required');
  const limits = describeLimits(schema);
  return html`
<div><dt><code>${name}</code> ${place && html`<span class="place">${place}</span>`} ${marked && html`<span class="${mark}">${mark}</span>`}</dt>
<dd><span class="type">${describeType(schema)}</span> ${limits && html`<span class="limits">${limits}</span>`}${
    description && html`<p>${prose(description)}</p>`
  }</dd></div>`;
}
