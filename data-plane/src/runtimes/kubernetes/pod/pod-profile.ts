import { z } from 'zod';
import { parseProfiles, profileFields, quantity, wholeNumber } from '../../parse-profiles.ts';
import { ownLabels } from './pod-labels.ts';

/** A kind of pod that tenants ask for by name. Its fields are called as in Kubernetes if Kubernetes has them. */
export type PodProfile = z.infer<typeof podProfileSchema>;

/** Reads the operator's list; every field but name, image and languages has a default. @throws Error as `parseProfiles` does */
export const parsePodProfiles = (json: string): PodProfile[] => parseProfiles(podProfileSchema, json);

/** A DNS subdomain, like most names in Kubernetes. */
const objectName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'must be a name of a Kubernetes object');

const qualifiedName = z
  .string()
  .regex(
    /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/,
    'must be a name such as example.com/team',
  );
const labelValue = z
  .string()
  .regex(/^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/, 'must be a label value of at most 63 characters');

const ourLabels: readonly string[] = Object.values(ownLabels);
const freeName = qualifiedName.refine(
  (name) => !name.startsWith('holdfast.dev/') && !ourLabels.includes(name),
  'is set by Holdfast alone',
);

const tolerationSchema = z.strictObject({
  key: qualifiedName.optional(),
  operator: z.enum(['Exists', 'Equal']).optional(),
  value: labelValue.optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
  tolerationSeconds: wholeNumber(0, 604_800).optional(),
});

const resources = (defaults: Record<string, string>) => z.record(qualifiedName, quantity).default(defaults);

const podProfileSchema = z.strictObject({
  ...profileFields,
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).default('IfNotPresent'),
  resources: z
    .strictObject({
      requests: resources({ cpu: '100m', memory: '256Mi', 'ephemeral-storage': '64Mi' }),
      limits: resources({ cpu: '1', memory: '1Gi', 'ephemeral-storage': '2Gi' }),
    })
    .prefault({}),
  workspaceSizeLimit: quantity.default('1Gi'),
  tmpSizeLimit: quantity.default('256Mi'),
  runtimeClassName: objectName.nullable().default(null),
  nodeSelector: z.record(qualifiedName, labelValue).default({}),
  tolerations: z.array(tolerationSchema).default([]),
  priorityClassName: objectName.nullable().default(null),
  imagePullSecrets: z.array(z.strictObject({ name: objectName })).default([]),
  labels: z.record(freeName, labelValue).default({}),
  annotations: z.record(freeName, z.string().max(65_536)).default({}),
});
