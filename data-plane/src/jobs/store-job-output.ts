import { artifactIdFor, type Omission } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import { pullChunks } from '../agent/pull-chunks.ts';
import { type ArtifactContent, artifactContent } from '../artifacts/artifact-view.ts';
import { mimeType } from '../artifacts/mime-type.ts';
import type { StoreFilesDependencies } from '../artifacts/store-changed-files.ts';
import { ContentTooLarge } from '../contents/content-too-large.ts';
import type { Content } from '../contents/contents.ts';
import { type NewArtifact, recordArtifacts } from '../registry/artifacts/record-artifacts.ts';
import { storedBytes } from '../registry/contents/stored-bytes.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { LiveStepLog } from '../steps/live-step.ts';
import { isOutputCut, type Stream, shownOutput } from './job-output.ts';

export type StoreOutputDependencies = StoreFilesDependencies & { agents: Pick<AgentClient, 'download'> };

type KeepOutputInput = { route: Route; live: Pick<LiveStepLog, 'id' | 'sessionId' | 'received'>; at: Date };

/** For all of it, however slow the sandbox is. */
const deadlineMs = 5 * 60_000;

/**
 * Keeps what a job wrote to stdout and stderr as artifacts `stdout.txt` and `stderr.txt`; doing it again changes nothing. Never throws:
 * what cannot be kept is an omission.
 */
export async function storeJobOutput(
  deps: StoreOutputDependencies,
  input: KeepOutputInput,
): Promise<ArtifactContent[]> {
  const { id: stepId, sessionId } = input.live;
  let artifacts = [unkept(input, 'stdout'), unkept(input, 'stderr')];
  try {
    const signal = AbortSignal.timeout(deadlineMs);
    const room = deps.limits.keptSessionBytesMax - (await storedBytes(deps.db, { sessionId }));
    const stdout = await keepStream(deps, { ...input, stream: 'stdout', room, signal });
    const stderr = await keepStream(deps, { ...input, stream: 'stderr', room: room - (stdout.size ?? 0), signal });
    await recordArtifacts(deps.db, { sessionId, artifacts: [stdout, stderr], world: { put: [], remove: [] } });
    artifacts = [stdout, stderr];
  } catch (err) {
    deps.log.error({ sessionId, stepId, err }, "a job's output could not be kept");
  }
  return artifacts.map((artifact) => artifactContent(sessionId, artifact));
}

type Keeping = KeepOutputInput & { stream: Stream; room: number; signal: AbortSignal };

async function keepStream(deps: StoreOutputDependencies, keeping: Keeping): Promise<NewArtifact> {
  const { stream, room } = keeping;
  const { keptFileBytesMax } = deps.limits;
  try {
    return kept(keeping, stream, await keepWhole(deps, keeping, Math.max(0, Math.min(keptFileBytesMax, room))));
  } catch (error) {
    if (!(error instanceof ContentTooLarge)) throw error;
    return unkept(keeping, stream, room < keptFileBytesMax ? 'session-limit' : 'too-large');
  }
}

/** All of it, also what the events leave out, where the sandbox still has that. */
async function keepWhole(deps: StoreOutputDependencies, keeping: Keeping, bytesMax: number): Promise<Content> {
  const { live, stream, signal } = keeping;
  const keep = (source: AsyncIterable<Uint8Array>) => deps.contents.keep(source, { bytesMax, signal });
  const keepShown = () => keep(shownOutput(live.received, stream));
  if (!isOutputCut(live.received, stream)) return await keepShown();
  try {
    return await keep(fromAgent(deps, keeping));
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return await keepShown();
  }
}

function fromAgent({ agents }: StoreOutputDependencies, { route, live, stream, signal }: Keeping) {
  const file = { path: `/v1/steps/${live.id}/output/${stream}`, onStart: () => {} };
  return pullChunks((onChunk, until) => agents.download(route, { ...file, onChunk, signal: until }), signal);
}

const kept = ({ live, at }: KeepOutputInput, stream: Stream, { size, sha256 }: Content): NewArtifact => ({
  id: artifactIdFor(live.id, stream, `${stream}.txt`),
  stepId: live.id,
  path: `${stream}.txt`,
  role: stream,
  change: 'created',
  size,
  sha256,
  mimeType: mimeType(`${stream}.txt`),
  concurrent: false,
  omission: null,
  createdAt: at,
});

const unkept = (input: KeepOutputInput, stream: Stream, omission: Omission = 'unreadable'): NewArtifact => ({
  ...kept(input, stream, { size: 0, sha256: '' }),
  size: null,
  sha256: null,
  mimeType: null,
  omission,
});
