import { languageSchema, networkSchema, profileNameSchema } from '@holdfast/specs';
import { z } from 'zod';
import { ownLabels } from './pod-labels.ts';

/** What a tenant may ask for by name: the pods of one kind, in Kubernetes' own words where it has them. */
export type PodProfile = z.infer<typeof podProfileSchema>;

/**
 * Reads the operator's list, `{"profiles": [{name, image, languages, …}]}`; all but those three have defaults.
 * @throws Error with every fault in a line of its own, each with its JSON pointer (RFC 6901).
 */
export function parsePodProfiles(json: string): PodProfile[] {
  const parsed = fileSchema.safeParse(parseJson(json));
  if (parsed.success) return parsed.data.profiles;
  const faults = parsed.error.issues.flatMap(faultTexts);
  throw new Error(`holds no valid profiles:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`is not JSON: ${(error as Error).message}`);
  }
}

function faultTexts(issue: z.core.$ZodIssue): string[] {
  const at = (path: PropertyKey[]) => path.map((part) => `/${String(part)}`).join('') || '/';
  if (issue.code !== 'unrecognized_keys') return [`${at(issue.path)} ${issue.message}`];
  return issue.keys.map((key) => `${at([...issue.path, key])} is not a field of this`);
}

const wholeNumber = (min: number, max: number) => z.number().int().min(min).max(max);
/** YAML writes `cpu: 1` without quotes. */
const quantity = z
  .union([z.string(), z.number().nonnegative().transform(String)], 'must be a string or a number')
  .pipe(
    z
      .string()
      .regex(/^\d{1,15}(\.\d{1,9})?(m|k|Ki|[MGTPE]i?)?$/, 'must be a quantity of Kubernetes, such as 100m or 256Mi'),
  );

/** A DNS subdomain, as most names of Kubernetes are. */
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
  name: profileNameSchema,
  image: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,511}$/, 'must be the reference of an image'),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).default('IfNotPresent'),
  languages: z.array(languageSchema).min(1),
  resources: z
    .strictObject({
      requests: resources({ cpu: '100m', memory: '256Mi', 'ephemeral-storage': '64Mi' }),
      limits: resources({ cpu: '1', memory: '1Gi', 'ephemeral-storage': '2Gi' }),
    })
    .prefault({}),
  workspaceSizeLimit: quantity.default('1Gi'),
  tmpSizeLimit: quantity.default('256Mi'),
  /** RLIMIT_NPROC: processes and threads of the sandbox, the agent's among them. */
  processesMax: wholeNumber(16, 4_194_304).default(128),
  runtimeClassName: objectName.nullable().default(null),
  nodeSelector: z.record(qualifiedName, labelValue).default({}),
  tolerations: z.array(tolerationSchema).default([]),
  priorityClassName: objectName.nullable().default(null),
  imagePullSecrets: z.array(z.strictObject({ name: objectName })).default([]),
  labels: z.record(freeName, labelValue).default({}),
  annotations: z.record(freeName, z.string().max(65_536)).default({}),
  /** How many are to be kept ready, by class of network. */
  warm: z
    .strictObject(
      Object.fromEntries(
        networkSchema.options.map((network) => [network, wholeNumber(0, 10_000).default(0)]),
      ) as Record<z.infer<typeof networkSchema>, z.ZodDefault<z.ZodNumber>>,
    )
    .prefault({}),
});

const fileSchema = z.strictObject({
  profiles: z
    .array(podProfileSchema)
    .min(1)
    .superRefine((profiles, context) => {
      const names = profiles.map(({ name }) => name);
      for (const [index, name] of names.entries()) {
        if (names.indexOf(name) === index) continue;
        context.addIssue({ code: 'custom', path: [index, 'name'], message: `repeats ${JSON.stringify(name)}` });
      }
    }),
});
