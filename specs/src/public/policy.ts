import * as z from 'zod';
import { text } from './values/storable.ts';

export const presetNames = ['unrestricted', 'safe-analysis', 'safe-edit'] as const;
export type PresetName = (typeof presetNames)[number];

/** Names of operations, as code calls them: parts of letters, digits, `_` and `-`, joined by dots. */
export const operationNamePattern = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
export const operationNameLengthMax = 128;

const patternsMax = 100;

const operationPatternSchema = z
  .string()
  .max(operationNameLengthMax)
  .regex(/^[A-Za-z0-9_.*-]+$/, 'must be letters, digits, . _ - and *, which stands for any characters');

/** A part that is `**` stands for any number of names; within a name `*` stands for any characters and `?` for one. */
const pathPatternSchema = text(1024)
  .refine(
    isCanonicalPattern,
    'must be a path from the workspace on, such as src/**/*.py: without a first or last /, empty names, . or ..; ** must be a whole name',
  )
  .meta({ example: 'src/**/*.py' });

function isCanonicalPattern(pattern: string): boolean {
  return pattern.split('/').every((name) => name !== '' && name !== '.' && name !== '..' && !/.\*\*|\*\*./u.test(name));
}

const operationPatterns = z.array(operationPatternSchema).max(patternsMax);
const pathPatterns = z.array(pathPatternSchema).max(patternsMax);

const world = z.strictObject({
  readPatterns: pathPatterns.meta({ description: 'Paths of the world that enter the sandbox and that code may read' }),
  writePatterns: pathPatterns.meta({ description: 'Paths that code may change; other changes are put back' }),
  readOnly: z.boolean().meta({ description: 'Whether every change is put back' }),
  proposalMode: z.boolean().meta({ description: 'Whether changes wait as proposals until the host commits them' }),
  codeMayCommit: z.boolean().meta({
    description:
      'Whether the host approves all proposals in advance, so that code may commit them (`commit_proposals`)',
  }),
});

const llm = z.strictObject({
  allowComplete: z.boolean().meta({ description: 'Whether code may call llm.complete' }),
  allowIntent: z.boolean().meta({ description: 'Whether code may call llm.intent' }),
  maxTokensPerCall: z
    .number()
    .int()
    .min(1)
    .max(1_000_000_000)
    .nullable()
    .meta({ description: 'The most tokens that one call may ask for; null: no limit' }),
});

const execution = z.strictObject({
  allowShellCommands: z.boolean().meta({ description: 'Whether code may run in shells and start other programs' }),
  allowNetworkCalls: z.boolean().meta({ description: 'Whether the session may have the network class `internet`' }),
  allowSubeval: z.boolean().meta({ description: 'Whether code may call eval and fixpoint' }),
});

/** Rules for the code of a session. If an operation is both allowed and denied, it is denied. */
export const policyRulesSchema = z
  .strictObject({
    allowedOperations: operationPatterns.meta({
      description: 'Operations that code may call. Upper and lower case differ',
    }),
    deniedOperations: operationPatterns.meta({
      description: 'Operations that code may not call, in upper or lower case, even if they are allowed',
    }),
    world,
    llm,
    execution,
  })
  .meta({ id: 'PolicyRules' });
export type PolicyRules = z.infer<typeof policyRulesSchema>;

/** `policy` of a session that is created or changed. */
export const policyRequestSchema = z
  .union([
    z.enum(presetNames),
    z.strictObject({
      preset: z.enum(presetNames).optional().meta({
        description:
          "The policy with which this one begins; default: the operator's for a new session, and the session's own if it is changed",
      }),
      allowedOperations: operationPatterns.optional(),
      deniedOperations: operationPatterns.optional(),
      world: world.partial().optional(),
      llm: llm.partial().optional(),
      execution: execution.partial().optional(),
    }),
  ])
  .meta({ id: 'PolicyRequest' });
export type PolicyRequest = z.infer<typeof policyRequestSchema>;

/** The policy of a session with all its rules. */
export const policySchema = z
  .object({
    preset: z
      .enum(presetNames)
      .nullable()
      .meta({ description: 'The preset that has exactly these rules; null if there is none' }),
    ...policyRulesSchema.shape,
  })
  .meta({ id: 'Policy' });
export type Policy = z.infer<typeof policySchema>;

const unrestricted: PolicyRules = {
  allowedOperations: ['*'],
  deniedOperations: [],
  world: { readPatterns: ['**'], writePatterns: ['**'], readOnly: false, proposalMode: false, codeMayCommit: false },
  llm: { allowComplete: true, allowIntent: true, maxTokensPerCall: null },
  execution: { allowShellCommands: true, allowNetworkCalls: true, allowSubeval: true },
};

/**
 * `safe-analysis` reads, computes and asks the host, and changes nothing outside its sandbox. `safe-edit` changes files only as proposals,
 * of which the host is to choose the paths with `writePatterns`.
 */
export const policyPresets: Readonly<Record<PresetName, PolicyRules>> = {
  unrestricted,
  'safe-analysis': {
    ...unrestricted,
    deniedOperations: ['world.write'],
    world: { readPatterns: ['**'], writePatterns: [], readOnly: true, proposalMode: false, codeMayCommit: false },
    execution: { allowShellCommands: false, allowNetworkCalls: false, allowSubeval: true },
  },
  'safe-edit': {
    ...unrestricted,
    world: { readPatterns: ['**'], writePatterns: ['**'], readOnly: false, proposalMode: true, codeMayCommit: false },
  },
};
