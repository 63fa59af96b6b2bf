import { randomUUID } from 'node:crypto';
import type { Collection } from './collection.ts';
import { type Pod, timestamp } from './objects.ts';
import { alreadyExists, badRequest, forbidden, invalid } from './refusal.ts';

export type Admission = {
  runtimeClasses: readonly string[];
  /** The number of pods that the namespace's quota allows. */
  podsMax: number;
};

type Deps = { pods: Collection<Pod>; namespace: string; admission: Admission };

/**
 * `POST …/pods`: checks the pod, fills in defaults and stores it; with `dryRun` it is not stored.
 * @throws Refusal 400, 403 (runtime class, quota), 409, 422
 */
export function createPod(deps: Deps, { body, dryRun }: { body: Record<string, unknown>; dryRun: boolean }): Pod {
  const pod = completed(body, deps.namespace);
  const target = { resource: 'pods', name: pod.metadata.name } as const;
  const faults = faultsOf(pod);
  if (faults.length > 0) throw invalid(target, faults);
  const { runtimeClassName } = pod.spec;
  if (runtimeClassName && !deps.admission.runtimeClasses.includes(runtimeClassName)) {
    throw forbidden(target, `pod rejected: RuntimeClass "${runtimeClassName}" not found`);
  }
  const existing = deps.pods.find(target.name);
  if (existing) throw alreadyExists(target, existing.metadata);
  const { podsMax } = deps.admission;
  const used = deps.pods.all().length;
  if (used >= podsMax) {
    throw forbidden(
      target,
      `exceeded quota: sandboxes, requested: pods=1, used: pods=${used}, limited: pods=${podsMax}`,
    );
  }
  return dryRun ? pod : deps.pods.insert(pod);
}

type Posted = Partial<{
  apiVersion: string;
  kind: string;
  metadata: Partial<Pod['metadata']>;
  spec: Partial<Pod['spec']>;
}>;

function completed(body: Record<string, unknown>, namespace: string): Pod {
  const { apiVersion, kind, metadata = {}, spec = {} } = body as Posted;
  if (apiVersion !== 'v1' || kind !== 'Pod')
    throw badRequest(`no kind "${kind}" is registered for version "${apiVersion}"`);
  if ((metadata.namespace ?? namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return {
    metadata: {
      ...metadata,
      name: metadata.name ?? '',
      namespace,
      uid: randomUUID(),
      resourceVersion: '',
      creationTimestamp: timestamp(),
    },
    spec: { terminationGracePeriodSeconds: 30, ...spec, containers: spec.containers ?? [] },
    status: { phase: 'Pending' },
  };
}

const nameOfPod = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const nameOfVariable = /^[A-Za-z_.-][A-Za-z0-9_.-]*$/;

function faultsOf({ metadata, spec }: Pod) {
  const variables = spec.containers.flatMap(({ env = [] }) => env);
  const checks: [holds: boolean, field: string, message: string][] = [
    [nameOfPod.test(metadata.name), 'metadata.name', `Invalid value: "${metadata.name}"`],
    [Object.values(metadata.labels ?? {}).every((value) => labelValue.test(value)), 'metadata.labels', 'Invalid value'],
    [spec.containers.length > 0, 'spec.containers', 'Required value'],
    [spec.containers.every(({ name, image }) => name && image), 'spec.containers[0].image', 'Required value'],
    [variables.every(({ name }) => nameOfVariable.test(name)), 'spec.containers[0].env[0].name', 'Invalid value'],
    [
      variables.every(({ value, valueFrom }) => value === undefined || valueFrom === undefined),
      'spec.containers[0].env[0].valueFrom',
      'Invalid value: "": may not be specified when `value` is not empty',
    ],
  ];
  return checks
    .filter(([holds]) => !holds)
    .map(([, field, message]) => ({
      reason: message.startsWith('Required') ? 'FieldValueRequired' : 'FieldValueInvalid',
      field,
      message,
    }));
}
