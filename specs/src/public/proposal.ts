import * as z from 'zod';
import { changeKindSchema } from './artifact.ts';
import { fileModeSchema } from './values/file-state.ts';
import { proposalIdSchema, sessionIdSchema, stepIdSchema } from './values/ids.ts';
import { pageQuerySchema } from './values/page.ts';
import { filePathSchema } from './values/workspace-path.ts';

/** `rolled_back`: by the end of the session, or by the session's own code. */
export const proposalStatusSchema = z.enum(['open', 'committed', 'rejected', 'rolled_back']);
export type ProposalStatus = z.infer<typeof proposalStatusSchema>;

/** One state of a file or a link. */
const fileStateSchema = z.object({
  size: z.number().int().meta({ description: 'In bytes' }),
  sha256: z.string(),
  executable: z.boolean().meta({ description: 'Whether its owner may execute the file' }),
  mode: fileModeSchema
    .optional()
    .meta({ description: 'The permissions in octal digits; missing for a link, and if they are not known' }),
  target: z.string().optional().meta({ description: 'Only for a link, whose content is its target' }),
});
export type FileState = z.infer<typeof fileStateSchema>;

/** The change of one path. */
export const proposedChangeSchema = z
  .object({
    path: z.string().meta({ description: 'Relative to the workspace' }),
    kind: z.enum(['file', 'directory', 'link', 'special']).meta({
      description:
        'A file in place of a link, or a link in place of a file, has the kind of what is there afterwards. `special` is a socket, a pipe or a device that the step has made: a commit does not keep it, and a rejection deletes it',
    }),
    change: changeKindSchema.meta({ description: 'A file is `modified` also if only its mode changed' }),
    before: fileStateSchema.nullable().meta({ description: 'The file or link before; null if there was none' }),
    after: fileStateSchema.nullable().meta({ description: 'The file or link after; null if there is none' }),
  })
  .meta({ id: 'ProposedChange' });
export type ProposedChange = z.infer<typeof proposedChangeSchema>;

/** Reasons for which a change of a file has no diff. */
export const diffOmissionSchema = z.enum(['binary', 'too-large', 'too-different']);
export type DiffOmission = z.infer<typeof diffOmissionSchema>;

export const proposalSchema = z
  .object({
    id: proposalIdSchema,
    sessionId: sessionIdSchema,
    number: z.number().int().meta({ description: 'Counts up within the session, in the order of the changes' }),
    stepId: stepIdSchema.nullable().meta({ description: 'The step that made the changes; null if it is not known' }),
    status: proposalStatusSchema.meta({ description: '`open` as long as one of its changes is' }),
    createdAt: z.iso.datetime(),
    decidedAt: z.iso.datetime().nullable().meta({ description: 'When the last of its changes was decided' }),
    decidedBy: z.enum(['host', 'code', 'system']).nullable(),
    changeCount: z.number().int().meta({ description: 'The number of its changes, decided ones included' }),
  })
  .meta({ id: 'Proposal' });
export type Proposal = z.infer<typeof proposalSchema>;

export const proposalWithChangesSchema = proposalSchema
  .extend({
    changes: z.array(
      proposedChangeSchema.extend({
        status: proposalStatusSchema,
        diff: z
          .string()
          .nullable()
          .meta({ description: 'A unified diff with the extended headers of git; null if the change has none' }),
        diffOmission: diffOmissionSchema.nullable().meta({ description: 'Why a file that changed has no diff' }),
      }),
    ),
  })
  .meta({ id: 'ProposalWithChanges' });
export type ProposalWithChanges = z.infer<typeof proposalWithChangesSchema>;

/** The part of a proposal that its step shows. */
export const stepProposalSchema = z.object({
  id: proposalIdSchema,
  number: z.number().int(),
  changes: z.array(proposedChangeSchema).meta({ description: 'The first 1,000 of its changes' }),
  changeCount: z.number().int(),
});
export type StepProposal = z.infer<typeof stepProposalSchema>;

export const decideProposalSchema = z
  .strictObject({
    paths: z
      .array(filePathSchema)
      .min(1)
      .max(10_000)
      .optional()
      .meta({ description: 'Only the changes of these paths. Default: all that are open' }),
  })
  .meta({ id: 'DecideProposal' });
export type DecideProposal = z.infer<typeof decideProposalSchema>;

export const proposalsQuerySchema = pageQuerySchema.extend({ status: proposalStatusSchema.optional() });
