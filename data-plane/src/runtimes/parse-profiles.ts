import {
  codeLanguageSchema,
  environmentSchema,
  networkSchema,
  profileNameSchema,
  sandboxPath,
} from '@holdfast/specs/public';
import { z } from 'zod';

/**
 * Reads the operator's list, `{"profiles": [{name, image, languages, …}]}`. `profile` is the runtime's schema of one profile.
 * @throws Error with every fault on a line of its own, each with its JSON pointer (RFC 6901)
 */
export function parseProfiles<T extends Placed>(profile: z.ZodType<T>, json: string): T[] {
  const parsed = listSchema(profile).safeParse(parseJson(json));
  if (parsed.success) return parsed.data.profiles;
  const faults = parsed.error.issues.flatMap(faultTexts);
  throw new Error(`holds no valid profiles:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
}

export const wholeNumber = (min: number, max: number) => z.number().int().min(min).max(max);

/** A quantity of Kubernetes. A number is accepted too, because YAML writes `cpu: 1` without quotes. */
export const quantity = z
  .union([z.string(), z.number().nonnegative().transform(String)], 'must be a string or a number')
  .pipe(
    z
      .string()
      .regex(/^\d{1,15}(\.\d{1,9})?(m|k|Ki|[MGTPE]i?)?$/, 'must be a quantity of Kubernetes, such as 100m or 256Mi'),
  );

/** File systems of the kernel, which keep nothing. */
const kernelRoots = ['/proc', '/dev', '/sys'];

const place = (meaning: string) =>
  z
    .string()
    .refine(
      (path) => path === defaultWorkspace || (path !== '/' && path.startsWith('/') && sandboxPath(path) === path),
      `must be an absolute path other than /, without . and .., ${meaning}`,
    )
    .refine((path) => !kernelRoots.some((root) => isBelow(path, root)), 'must not be in /proc, /dev or /sys');

const defaultWorkspace = '/workspace';
const temporary = '/tmp';

const isBelow = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);

type Placed = { name: string; workspacePath: string; home: string; fileRoots: readonly string[] };

/** The root of a sandbox is read-only, so programs can only write in the workspace and in /tmp. */
function placeFaults({ workspacePath, home, fileRoots }: Placed): (readonly [field: string, message: string])[] {
  const overlaps = fileRoots.some((root) => isBelow(root, workspacePath) || isBelow(workspacePath, root));
  return [
    ...(isBelow(workspacePath, temporary) ? [['workspacePath', 'must not be in /tmp'] as const] : []),
    ...(workspacePath.includes(':') ? [['workspacePath', 'must have no colon, as search paths cannot'] as const] : []),
    ...(overlaps ? [['fileRoots', 'must neither hold the workspace nor lie in it'] as const] : []),
    ...(home === temporary || home === workspacePath ? [] : [['home', 'must be /tmp or the workspacePath'] as const]),
  ];
}

/** The fields that the profiles of every runtime have. */
export const profileFields = {
  name: profileNameSchema,
  image: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,511}$/, 'must be the reference of an image'),
  languages: z.array(codeLanguageSchema).min(1),
  /** Variables of all programs in the sandbox, such as those of registries and proxies. All code can read them. */
  env: environmentSchema.default({}),
  /** Directories of the image outside the workspace in which clients may read and write files. They exist in it, and code may write there. */
  fileRoots: z.array(place('outside the workspace')).max(16).default([temporary]),
  /** The place of the workspace in the sandbox. */
  workspacePath: place('for the workspace').default(defaultWorkspace),
  /** The home directory. In the workspace, the caches and settings of programs belong to the world. */
  home: z.string().default(temporary),
  /** The name of the user, for programs as well as in `USER` and `LOGNAME`; null sets none. The id is a number of the sandbox's own. */
  user: z
    .string()
    .regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'must be the name of a user')
    // The system would know two users of this name.
    .refine((name) => name !== 'root', 'must be the name of another user than root')
    .nullable()
    .default(null),
  /** RLIMIT_NPROC: processes and threads of the sandbox, including the agent's. */
  processesMax: wholeNumber(16, 4_194_304).default(128),
  /** The size of the warm pool for each network class. */
  warm: z
    .strictObject(
      Object.fromEntries(
        networkSchema.options.map((network) => [network, wholeNumber(0, 10_000).default(0)]),
      ) as Record<z.infer<typeof networkSchema>, z.ZodDefault<z.ZodNumber>>,
    )
    .prefault({}),
};

type Told = Omit<Placed, 'name'> & { env: Record<string, string>; user: string | null };

/** How the session-agent is told about its profile. Pure. */
export function profileEnvironment({ env, user, workspacePath, home, fileRoots }: Told): Record<string, string> {
  const all = { ...(user !== null && { USER: user, LOGNAME: user }), ...env };
  return {
    HOLDFAST_WORKSPACE: workspacePath,
    HOME: home,
    ...(user !== null && { HOLDFAST_SANDBOX_USER: user }),
    ...(Object.keys(all).length > 0 && { HOLDFAST_SANDBOX_ENV: JSON.stringify(all) }),
    ...(fileRoots.length > 0 && { HOLDFAST_AGENT_FILE_ROOTS: JSON.stringify(fileRoots) }),
  };
}

function listSchema<T extends Placed>(profile: z.ZodType<T>) {
  return z.strictObject({
    profiles: z
      .array(profile)
      .min(1)
      .superRefine((profiles, context) => {
        const names = profiles.map(({ name }) => name);
        for (const [index, name] of names.entries()) {
          if (names.indexOf(name) === index) continue;
          context.addIssue({ code: 'custom', path: [index, 'name'], message: `repeats ${JSON.stringify(name)}` });
        }
        for (const [index, profile] of profiles.entries()) {
          for (const [field, message] of placeFaults(profile))
            context.addIssue({ code: 'custom', path: [index, field], message });
        }
      }),
  });
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
