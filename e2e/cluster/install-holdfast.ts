import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connectHoldfast, type Holdfast } from './connect-holdfast.ts';
import { kubectl, run } from './kubectl.ts';
import { holdfastNamespace, ownMark } from './namespaces.ts';
import { smallProfiles } from './small-profiles.ts';
import { markOf, uninstallHoldfast } from './uninstall-holdfast.ts';
import { type OverlayWish, writeOverlay } from './write-overlay.ts';

type InstallWish = Partial<Pick<OverlayWish, 'overlay' | 'podsMax'>> & {
  /** How many sandboxes are kept ready. */
  warm?: number;
};

/** Agents' environments carry it, by which their processes can be told from others' on the node. */
export const deployment = 'end-to-end';

/**
 * Holdfast as deploy/install puts it there. What is installed in just this way is left alone, what differs is changed
 * in place.
 */
export async function installHoldfast({
  overlay = 'end-to-end',
  podsMax = 100,
  warm = 0,
}: InstallWish = {}): Promise<Holdfast> {
  const wish = {
    overlay,
    variables: { HOLDFAST_DEPLOYMENT: deployment, HOLDFAST_SESSIONS_MAX: '1000' },
    podsMax,
    profiles: await smallProfiles(warm),
  };
  const mark = `${overlay}-${createHash('sha256').update(JSON.stringify(wish)).digest('hex').slice(0, 16)}`;
  const present = await markOf(holdfastNamespace);
  if (present !== mark) {
    if (present === null) await makeOwnNamespace();
    else if (!present.startsWith(`${overlay}-`)) await uninstallHoldfast().then(makeOwnNamespace);
    await install(wish);
    await annotate(mark);
  }
  const holdfast = await connectHoldfast();
  await deleteSessions(holdfast);
  return holdfast;
}

/** What a test that failed has left is not to fail the next one. */
async function deleteSessions({ request }: Holdfast): Promise<void> {
  const { body } = await request('GET', '/v1/sessions?limit=200');
  await Promise.all(body.items.map(({ id }: { id: string }) => request('DELETE', `/v1/sessions/${id}`)));
}

/** It is marked from the first moment, so that what an interrupted run leaves is known as ours. */
export async function makeOwnNamespace(): Promise<void> {
  await uninstallHoldfast();
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: holdfastNamespace, annotations: { [ownMark]: 'unfinished' } },
  };
  await kubectl(['create', '-f', '-'], { input: JSON.stringify(namespace) });
}

async function install(wish: OverlayWish): Promise<void> {
  const folder = await writeOverlay(wish);
  try {
    await run(join(import.meta.dirname, '../../deploy/install'), [folder], { timeoutMs: 330_000 });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Says of what the installation was made. */
export const annotate = (mark: string) =>
  kubectl(['annotate', '--overwrite', 'namespace', holdfastNamespace, `${ownMark}=${mark}`]);
