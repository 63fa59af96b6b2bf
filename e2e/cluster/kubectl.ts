import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

type KubectlOptions = { input?: string; timeoutMs?: number };

/** Runs kubectl against the cluster that KUBECONFIG names and returns its output. @throws Error with its messages */
export const kubectl = (args: readonly string[], options?: KubectlOptions) => run('kubectl', args, options);

/** Runs any program that the tests call as a user would, and returns its output. @throws Error with its messages */
export async function run(
  program: string,
  args: readonly string[],
  { input, timeoutMs = 60_000 }: KubectlOptions = {},
): Promise<string> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], timeout: timeoutMs, killSignal: 'SIGKILL' });
  const exited = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(String(signal ?? code)));
  });
  // A program may end without reading its input; its exit code says whether it failed.
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  if (end !== '0') throw new Error(`${program} ${args.join(' ')} ended with ${end}:\n${stdout}${stderr}`);
  return stdout;
}

/** An object or a list of objects, as the API server shows it. */
export async function kubectlJson<T>(args: readonly string[]): Promise<T> {
  return JSON.parse(await kubectl([...args, '-o', 'json']));
}
