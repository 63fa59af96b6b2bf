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
  /** Size of the warm pool. */
  warm?: number;
};

/** The deployment's name. It is in the agents' environments, so that their processes can be found on the node. */
export const deployment = 'end-to-end';

/** Installs Holdfast with deploy/install. Does nothing if exactly this is installed, and changes an installation in place if it differs. */
export async function installHoldfast({
  overlay = 'end-to-end',
  podsMax = 100,
  warm = 0,
}: InstallWish = {}): Promise<Holdfast> {
  const wish = {
    overlay,
    variables: {
      HOLDFAST_DEPLOYMENT: deployment,
      HOLDFAST_SESSIONS_MAX: '1000',
      HOLDFAST_PREVIEW_DOMAIN: 'preview.test',
    },
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

/** Deletes all sessions, so that those of a failed test do not fail the next one. */
export async function deleteSessions({ request }: Holdfast): Promise<void> {
  const { body } = await request('GET', '/v1/sessions?limit=200');
  await Promise.all(body.items.map(({ id }: { id: string }) => request('DELETE', `/v1/sessions/${id}`)));
}

/** Creates the namespace with a mark from the start, so that the leftovers of an interrupted run are known to be ours. */
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

/** Marks the installation with a description of its options. */
export const annotate = (mark: string) =>
  kubectl(['annotate', '--overwrite', 'namespace', holdfastNamespace, `${ownMark}=${mark}`]);
