import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { KubernetesObject } from './kubernetes-object.ts';
import { kindCluster } from './schemas/kind-cluster.ts';
import { podMonitor } from './schemas/pod-monitor.ts';

/**
 * The faults of an object against the schemas of Kubernetes 1.37, including unknown fields. Kinds that are not Kubernetes' own have a schema
 * in schemas/.
 */
export function schemaFaults(object: KubernetesObject): string[] {
  const schema = schemas.get(`${object.apiVersion} ${object.kind}`);
  const validate = schema && ajv.getSchema(schema);
  if (!validate) return [`${object.apiVersion} ${object.kind} is not a kind of Kubernetes`];
  if (validate(object)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath || '/', message, params.additionalProperty ?? params.allowedValues ?? ''].join(' ').trimEnd(),
  );
}

type Definition = { 'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[] };

// Unknown keywords and formats are annotations in Kubernetes' schemas.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
const schemas = new Map([...foreignKinds(), ...ownKinds()]);

/** Adds the schemas of foreign kinds. Yields each API version and kind with the name of its schema. */
function* foreignKinds(): Generator<[kind: string, schema: string]> {
  for (const schema of [podMonitor, kindCluster]) {
    ajv.addSchema(schema);
    yield [schema.$id, schema.$id];
  }
}

/** Adds Kubernetes' own schemas. Definitions with several kinds are left out, because only requests use them. */
function* ownKinds(): Generator<[kind: string, schema: string]> {
  const file = join(process.env.HOLDFAST_KUBERNETES_TOOLS ?? '', 'definitions.json');
  const definitions: { $id: string; $defs: Record<string, Definition> } = JSON.parse(readFileSync(file, 'utf8'));
  ajv.addSchema(definitions);
  for (const [name, definition] of Object.entries(definitions.$defs)) {
    const [first, ...others] = definition['x-kubernetes-group-version-kind'] ?? [];
    if (!first || others.length > 0) continue;
    const apiVersion = first.group ? `${first.group}/${first.version}` : first.version;
    yield [`${apiVersion} ${first.kind}`, `${definitions.$id}#/$defs/${name}`];
  }
}
