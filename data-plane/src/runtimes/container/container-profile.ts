import { z } from 'zod';
import { parseProfiles, profileFields, quantity } from '../parse-profiles.ts';
import { parseQuantity } from '../parse-quantity.ts';

/** A kind of container that tenants ask for by name. The fields are those of the kubernetes runtime's profiles. Sizes are in bytes. */
export type ContainerProfile = z.infer<typeof containerProfileSchema>;

/**
 * Reads the operator's list; every field but name, image and languages has a default. A field that only works on clusters is a fault,
 * because it would be ignored otherwise. Requests and disk limits are accepted, because a container cannot exceed them anyway.
 * @throws Error as `parseProfiles` does
 */
export const parseContainerProfiles = (json: string): ContainerProfile[] => parseProfiles(containerProfileSchema, json);

/** The profiles if the operator gives none: the images that `runtime-images/build` makes. */
export const defaultProfiles = (): ContainerProfile[] =>
  parseContainerProfiles(
    JSON.stringify({
      profiles: [
        {
          name: 'python',
          image: 'localhost/holdfast/runtime-python:dev',
          languages: ['python', 'node', 'bun', 'bash'],
        },
        { name: 'node', image: 'localhost/holdfast/runtime-node:dev', languages: ['node', 'bun', 'bash'] },
      ],
    }),
  );

const amount = (least: number) =>
  quantity.transform((value, context) => {
    const number = parseQuantity(value);
    if (number !== null && number >= least) return number;
    context.addIssue(`must be at least ${least}`);
    return z.NEVER;
  });
const mebibyte = 2 ** 20;
const ignored = z.record(z.string(), z.unknown()).optional();

const containerProfileSchema = z.strictObject({
  ...profileFields,
  imagePullPolicy: z.enum(['IfNotPresent', 'Never']).default('IfNotPresent'),
  resources: z
    .strictObject({
      requests: ignored,
      limits: z
        .strictObject({
          cpu: amount(0.01).prefault('500m'),
          memory: amount(64 * mebibyte).prefault('512Mi'),
          'ephemeral-storage': z.unknown().optional(),
        })
        .prefault({}),
    })
    .prefault({}),
  /** Both file systems are in memory and count towards the memory limit. */
  workspaceSizeLimit: amount(mebibyte).prefault('256Mi'),
  tmpSizeLimit: amount(mebibyte).prefault('128Mi'),
  /** The engine's OCI runtime, such as `runsc`; null means its default. */
  runtimeClassName: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'must be the name of an OCI runtime that the engine knows')
    .nullable()
    .default(null),
});
