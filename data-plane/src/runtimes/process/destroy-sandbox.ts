import { endProcess, endSandboxProcesses } from './end-processes.ts';
import { livingAgents, type Observed } from './observe-sandboxes.ts';
import { runningProcesses, withDescendants } from './running-processes.ts';
import { sandboxFolder, unknownUid } from './sandbox-folder.ts';

const graceMs = 2000;
const sweepMs = 5000;

/**
 * Destroys one incarnation: lets its agent end by itself if that is quick, kills all processes that are left, then removes its folder. If the
 * name belongs to another incarnation by now, the processes and the folder of that one stay. Does nothing to a sandbox of another owner.
 * @throws Error if a process does not end
 */
export async function destroySandbox(
  { sandboxesDir, owner }: Pick<Observed, 'sandboxesDir' | 'owner'>,
  { name, uid }: { name: string; uid: string },
): Promise<void> {
  const folder = sandboxFolder(sandboxesDir, name);
  const record = await folder.read();
  if (record?.uid === uid && (record.database ?? owner.database) !== owner.database) return;
  const processes = await runningProcesses();
  const agents = livingAgents(owner, processes);
  if (agents.some((agent) => agent.uid === uid && agent.name !== name)) return;
  const agent = agents.find((living) => living.uid === uid);
  const remembered = agent ? withDescendants([agent.process], processes) : [];
  if (agent) await endProcess(agent.process, graceMs);
  await endSandboxProcesses({ uid, remembered }, sweepMs);

  const folderUid = (await folder.read())?.uid ?? (agent ? uid : unknownUid);
  const replaced = agents.some((living) => living.name === name && living.uid !== uid);
  if (folderUid === uid && !replaced) await folder.remove();
}
