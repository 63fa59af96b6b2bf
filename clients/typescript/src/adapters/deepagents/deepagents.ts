import { BaseSandbox, type ExecuteResponse, type FileDownloadResponse, type FileUploadResponse } from 'deepagents';
import type { CallOptions } from '../../http/create-api.ts';
import type { Session } from '../../sessions/session.ts';
import { fileBytesMaxDefault, readWhole } from '../running/read-at-most.ts';
import { runCommand } from '../running/run-command.ts';
import { findWorkspace, type Workspace } from '../running/workspace.ts';
import { fileErrorOf } from './file-error.ts';
import { placedPath } from './placed-path.ts';

/** Limits of the commands of an agent. */
export type SandboxOptions = CallOptions & {
  /** A command that takes longer is killed, and answers the exit code 124. Default: 300. */
  timeoutSeconds?: number | undefined;
  /** The most output that a command answers. Default: 1 MiB. */
  outputBytesMax?: number | undefined;
  /** The most bytes of a file that is read as a whole; reading a larger one is denied. Default: 64 MiB. */
  fileBytesMax?: number | undefined;
  /** Environment variables of every command. */
  env?: Record<string, string> | undefined;
};

/**
 * Gives a session to a deep agent as its backend. An abort of `signal` kills the commands that run, and ends the sandbox for the agent, but
 * not the session.
 * @example
 * const backend = await createSandbox(await holdfast.sessions.create());
 * const agent = createDeepAgent({ model, backend, systemPrompt: `Your files are in ${backend.workspace}.` });
 */
export async function createSandbox(session: Session, options: SandboxOptions = {}): Promise<HoldfastSandbox> {
  const workspace = await findWorkspace(session, options.signal ? { signal: options.signal } : {});
  return new HoldfastSandbox(session, workspace, options);
}

/** A backend of deepagents on a session. */
export class HoldfastSandbox extends BaseSandbox {
  /** The id of the session. */
  readonly id: string;
  readonly #session: Session;
  readonly #workspace: Workspace;
  readonly #options: SandboxOptions;

  /** Use `createSandbox`, which finds the workspace. */
  constructor(session: Session, workspace: Workspace, options: SandboxOptions) {
    super();
    this.id = session.id;
    this.#session = session;
    this.#workspace = workspace;
    this.#options = options;
  }

  /** The absolute path of the directory in which commands start. */
  get workspace(): string {
    return this.#workspace.root;
  }

  /** Runs a command by the shell of the sandbox, with both streams as one. */
  override async execute(command: string): Promise<ExecuteResponse> {
    const { timeoutSeconds = 300, outputBytesMax = 1024 * 1024, env = {}, signal } = this.#options;
    const limits = { timeoutSeconds, outputBytesMax, env, ...(signal && { signal }) };
    const { stdout, exitCode, isTimedOut, truncated } = await runCommand(this.#session, command, {
      ...limits,
      stderr: 'stdout',
    });
    const output = isTimedOut ? `${stdout}\n[killed after ${timeoutSeconds} s]` : stdout;
    return { output, exitCode, truncated };
  }

  override ls(path: string) {
    return super.ls(placedPath(this.id, path));
  }

  override read(path: string, offset?: number, limit?: number) {
    return super.read(placedPath(this.id, path), offset, limit);
  }

  override grep(pattern: string, path?: string, glob?: string | null, maxCount?: number | null) {
    return super.grep(pattern, path && placedPath(this.id, path), glob, maxCount);
  }

  override glob(pattern: string, path?: string) {
    return super.glob(pattern, path && placedPath(this.id, path));
  }

  override delete(path: string) {
    return super.delete(placedPath(this.id, path));
  }

  /** Writes files one by one, so that one that is refused does not keep the others away. */
  override async uploadFiles(files: [string, Uint8Array][]): Promise<FileUploadResponse[]> {
    const { signal } = this.#options;
    return await Promise.all(
      files.map(async ([path, bytes]) => {
        const content = bytes as Uint8Array<ArrayBuffer>;
        const writing = this.#session.files.write(this.#inApi(path), content, signal && { signal });
        return await writing.then(
          () => ({ path, error: null }),
          (error) => ({ path, error: fileErrorOf(error) }),
        );
      }),
    );
  }

  /** Reads files; one that cannot be read is an error in its place. */
  override async downloadFiles(paths: string[]): Promise<FileDownloadResponse[]> {
    return await Promise.all(
      paths.map(async (path) => {
        return await this.#read(path).then(
          (content) => ({ path, content, error: null }),
          (error) => ({ path, content: null, error: fileErrorOf(error) }),
        );
      }),
    );
  }

  #inApi(path: string): string {
    return this.#workspace.inApi(placedPath(this.id, path));
  }

  async #read(path: string): Promise<Uint8Array> {
    const { signal, fileBytesMax: bytesMax = fileBytesMaxDefault } = this.#options;
    const stream = await this.#session.files.stream(this.#inApi(path), signal && { signal });
    return await readWhole(stream, { path, bytesMax });
  }
}
