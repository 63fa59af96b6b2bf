import * as z from 'zod';
import { agentUnpackedSchema } from '../../agent/changes.ts';
import { archiveFormatSchema } from '../../public/file.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { sandboxPathSchema } from '../../public/values/workspace-path.ts';
import { json } from '../parts/answers.ts';
import type { Answer, Operation } from '../parts/operation.ts';
import { tokenSchemes } from '../parts/security.ts';
import { refusedToken } from './operation-parts.ts';

const query = z.object({
  path: sandboxPathSchema.optional().meta({ description: 'The directory; default: the workspace', example: 'plots' }),
  format: archiveFormatSchema.meta({ description: 'Format of the archive', example: 'tar' }),
});
const change = {
  path: 'plots/a.txt',
  change: 'created',
  size: 4,
  concurrent: false,
  version: 'f4:1767323045.6780000000:42',
  executable: false,
  mode: '0644',
};
const contentTypes = ['application/x-tar', 'application/zip'] as const;
const problems: readonly ProblemSlug[] = [...refusedToken, 'not-found', 'outside-workspace', 'path-conflict'];
const binary = { schema: { type: 'string', format: 'binary' } } as const;
const archive: Answer = {
  description: 'The archive; the connection breaks off if a file becomes shorter while it is read',
  content: Object.fromEntries(contentTypes.map((contentType) => [contentType, binary])),
};

/** Archives of the workspace. */
export const agentArchiveOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/archive',
    operationId: 'readArchive',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Read a directory as an archive',
    description:
      'The archive contains directories and regular files. It leaves out links and all other kinds of files.',
    query,
    answers: { 200: archive },
    problems,
  },
  {
    method: 'put',
    path: '/v1/archive',
    operationId: 'writeArchive',
    tag: 'Files',
    security: tokenSchemes,
    summary: 'Unpack an archive into a directory',
    description:
      'The whole archive is checked before the first file is written, and each file is replaced atomically. An archive is rejected if it has links, devices, absolute names, names with `..` or duplicate names, or if it is too large when unpacked.',
    query,
    upload: contentTypes,
    answers: {
      200: json('The archive was unpacked', agentUnpackedSchema, {
        files: 1,
        bytes: 4,
        changes: [change],
        directories: ['plots'],
      }),
    },
    problems: [...problems, 'archive-refused', 'body-too-large', 'workspace-full'],
  },
];
