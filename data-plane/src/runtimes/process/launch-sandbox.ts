import type { ChildProcess } from 'node:child_process';
import { type Sandbox, SandboxError } from '../runtime.ts';
import { destroySandbox } from './destroy-sandbox.ts';
import type { ProcessOwner } from './observe-sandboxes.ts';
import { sandboxFolder } from './sandbox-folder.ts';
import { type AgentProgram, startAgent } from './start-agent.ts';

export type LaunchSettings = AgentProgram & {
  sandboxesDir: string;
  owner: ProcessOwner;
  /** Passed to every agent unchanged. */
  agentEnv: Readonly<Record<string, string>>;
};

const fixedEnv = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };

/**
 * Starts the agent of a new sandbox. If that fails or is aborted, nothing of it is left.
 * @throws SandboxError with the end of the agent's log in its cause, or `signal`'s reason.
 */
export async function launchSandbox(
  settings: LaunchSettings,
  { sandbox, signal }: { sandbox: Sandbox; signal: AbortSignal },
): Promise<{ sandbox: Sandbox; child: ChildProcess }> {
  const { name, uid } = sandbox;
  const { database } = settings.owner;
  const folder = sandboxFolder(settings.sandboxesDir, name);
  const env = {
    ...fixedEnv,
    HOME: folder.workspace,
    ...settings.agentEnv,
    HOLDFAST_SANDBOX_OWNER: settings.owner.place,
    HOLDFAST_SANDBOX_DATABASE: database,
    HOLDFAST_SANDBOX_NAME: name,
    HOLDFAST_SANDBOX_UID: uid,
    HOLDFAST_WORKSPACE: folder.workspace,
    HOLDFAST_AGENT_TMP: folder.tmp,
  };
  try {
    await folder.create({ uid, endpoint: null, database });
    const { port, child } = await startAgent(settings, { folder, env, signal });
    const endpoint = `http://127.0.0.1:${port}`;
    await folder.write({ uid, endpoint, database });
    return { sandbox: { ...sandbox, endpoint, phase: 'running' }, child };
  } catch (error) {
    const log = await folder.logTail();
    await destroySandbox(settings, { name, uid });
    if (signal.aborted) throw signal.reason;
    const cause = new Error(`${(error as Error).message}; the end of its log: ${log || 'empty'}`, { cause: error });
    throw new SandboxError('sandbox_start_failed', 'The sandbox could not be started', { cause });
  }
}
