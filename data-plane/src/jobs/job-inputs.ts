import { createHash } from 'node:crypto';
import { artifactIdFor, type InlineFile, type RunJob } from '@holdfast/specs/public';
import { mimeType } from '../artifacts/mime-type.ts';
import { type NewArtifact, recordArtifacts } from '../registry/artifacts/record-artifacts.ts';
import type { Database } from '../registry/connect.ts';
import type { JobStep } from './job-step.ts';

/** The files that a job begins with, its program first if that is one of them. Pure. */
export const jobInputs = ({ code, filename, files = [] }: RunJob): InlineFile[] =>
  filename === undefined ? files : [{ path: filename, bytes: Buffer.from(code) }, ...files];

/** Records the input files of a job as its artifacts. Their contents must be stored already. */
export async function recordJobInputs(
  db: Database,
  { start, inputs }: { start: Pick<JobStep, 'id' | 'sessionId' | 'queuedAt'>; inputs: readonly InlineFile[] },
): Promise<void> {
  const artifacts = inputs.map((input) => newArtifact(start, input));
  await recordArtifacts(db, { sessionId: start.sessionId, artifacts });
}

const newArtifact = ({ id, queuedAt }: Pick<JobStep, 'id' | 'queuedAt'>, { path, bytes }: InlineFile): NewArtifact => ({
  id: artifactIdFor(id, 'input', path),
  stepId: id,
  path,
  role: 'input',
  change: 'created',
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  mimeType: mimeType(path),
  concurrent: false,
  omission: null,
  createdAt: queuedAt,
});
