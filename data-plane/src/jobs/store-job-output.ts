import { artifactIdFor, type Omission } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import { pullChunks } from '../agent/pull-chunks.ts';
import { type ArtifactContent, artifactContent } from '../artifacts/artifact-view.ts';
import { mimeType } from '../artifacts/mime-type.ts';
import type { Content } from '../contents/contents.ts';
import { ContentTooLarge } from '../contents/meter.ts';
import { type NewArtifact, recordArtifacts } from '../registry/artifacts/record-artifacts.ts';
import { type Room, readRoom } from '../registry/tenants/read-room.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { LiveStepLog } from '../steps/live-step.ts';
import { retryThroughOutage } from '../world/retry-through-outage.ts';
import type { StoreFilesDependencies } from '../world/store-changed-files.ts';
import { isOutputCut, type Stream, shownOutput } from './job-output.ts';

export type StoreOutputDependencies = StoreFilesDependencies & { agents: Pick<AgentClient, 'download'> };

type StoreOutputInput = { route: Route; live: Pick<LiveStepLog, 'id' | 'sessionId' | 'received'>; at: Date };

/** For both streams together, however slow the sandbox is. */
const deadlineMs = 5 * 60_000;

/**
 * Stores the output of a job as the artifacts `stdout.txt` and `stderr.txt`. Doing it again changes nothing. While the database is away it
 * waits, since the end cannot be recorded meanwhile either. Never throws: output that cannot be stored becomes an artifact with an omission.
 */
export async function storeJobOutput(
  deps: StoreOutputDependencies,
  input: StoreOutputInput,
): Promise<ArtifactContent[]> {
  const { id: stepId, sessionId } = input.live;
  let artifacts = [omittedStream(input, 'stdout'), omittedStream(input, 'stderr')];
  try {
    artifacts = await retryThroughOutage(() => storeBoth(deps, input), { isPatient: true });
  } catch (err) {
    deps.log.error({ sessionId, stepId, err }, 'could not store the output of a job');
  }
  return artifacts.map((artifact) => artifactContent(sessionId, artifact));
}

async function storeBoth(deps: StoreOutputDependencies, input: StoreOutputInput): Promise<NewArtifact[]> {
  const { sessionId } = input.live;
  const signal = AbortSignal.timeout(deadlineMs);
  const room = await readRoom(deps.db, { tenant: input.route.tenant, sessionId, limits: deps.limits });
  const stdout = await storeStream(deps, { ...input, stream: 'stdout', room, signal });
  const left = { session: room.session - (stdout.size ?? 0), tenant: room.tenant - (stdout.size ?? 0) };
  const stderr = await storeStream(deps, { ...input, stream: 'stderr', room: left, signal });
  await recordArtifacts(deps.db, { sessionId, artifacts: [stdout, stderr] });
  return [stdout, stderr];
}

type Storing = StoreOutputInput & { stream: Stream; room: Room; signal: AbortSignal };

async function storeStream(deps: StoreOutputDependencies, storing: Storing): Promise<NewArtifact> {
  const { stream, room } = storing;
  const { keptFileBytesMax } = deps.limits;
  const bytesMax = Math.max(0, Math.min(keptFileBytesMax, room.session, room.tenant));
  try {
    const content = await storeCompleteOutput(deps, storing, bytesMax);
    return storedStream(storing, stream, content);
  } catch (error) {
    if (!(error instanceof ContentTooLarge)) throw error;
    return omittedStream(storing, stream, limitReached(room, keptFileBytesMax));
  }
}

function limitReached({ session, tenant }: Room, fileBytesMax: number): Omission {
  if (fileBytesMax <= Math.min(session, tenant)) return 'too-large';
  return session <= tenant ? 'session-limit' : 'tenant-limit';
}

/** Includes the output that the events leave out, if the sandbox still has it. */
async function storeCompleteOutput(
  deps: StoreOutputDependencies,
  storing: Storing,
  bytesMax: number,
): Promise<Content> {
  const { live, stream, signal } = storing;
  const store = (source: AsyncIterable<Uint8Array>) => deps.contents.store(source, { bytesMax, signal });
  const storeShown = () => store(shownOutput(live.received, stream));
  if (!isOutputCut(live.received, stream)) return await storeShown();
  try {
    return await store(fromAgent(deps, storing));
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return await storeShown();
  }
}

function fromAgent({ agents }: StoreOutputDependencies, { route, live, stream, signal }: Storing) {
  const file = { path: `/v1/steps/${live.id}/output/${stream}`, onStart: () => {} };
  return pullChunks((onChunk, until) => agents.download(route, { ...file, onChunk, signal: until }), signal);
}

const storedStream = (
  { live, at }: StoreOutputInput,
  stream: Stream,
  { size, sha256 }: Pick<Content, 'size' | 'sha256'>,
): NewArtifact => ({
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

const omittedStream = (input: StoreOutputInput, stream: Stream, omission: Omission = 'unreadable'): NewArtifact => ({
  ...storedStream(input, stream, { size: 0, sha256: '' }),
  size: null,
  sha256: null,
  mimeType: null,
  omission,
});
