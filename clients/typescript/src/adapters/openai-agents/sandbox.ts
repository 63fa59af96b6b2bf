import { type Entry, Manifest, type SandboxSession, SandboxUnsupportedFeatureError } from '@openai/agents/sandbox';
import type { CallOptions } from '../../http/create-api.ts';
import { HoldfastError } from '../../http/holdfast-error.ts';
import type { Session } from '../../sessions/session.ts';
import { fileBytesMaxDefault, readAtMost, readWhole } from '../running/read-at-most.ts';
import { findWorkspace } from '../running/workspace.ts';
import { createEditor } from './editor.ts';
import { createExecutions } from './executions.ts';
import { imageOf } from './image.ts';

/** Limits of the commands of an agent. */
export type SandboxOptions = CallOptions & {
  /** A command that takes longer is killed. Default: none, since an agent may leave a server running. */
  timeoutSeconds?: number | undefined;
  /** The most output of one call; a model may ask for less. Default: 1 MiB. */
  outputBytesMax?: number | undefined;
  /** The most bytes of a file that is read as a whole; reading a larger one fails. Default: 64 MiB. */
  fileBytesMax?: number | undefined;
};

/** A sandbox of the OpenAI Agents SDK on a session. */
export type HoldfastSandbox = Required<
  Pick<
    SandboxSession,
    | 'createEditor'
    | 'directoryExists'
    | 'exec'
    | 'execCommand'
    | 'listDir'
    | 'materializeEntry'
    | 'pathExists'
    | 'readFile'
    | 'resolveExposedPort'
    | 'running'
    | 'state'
    | 'stop'
    | 'supportsPty'
    | 'viewImage'
    | 'writeStdin'
  >
>;

/**
 * Makes a session the sandbox of a `SandboxAgent`. The session stays when the run has ended; `stop` kills the commands that still run. An
 * abort of `signal` kills them, too.
 * @example
 * const sandbox = await createSandbox(await holdfast.sessions.create());
 * await run(new SandboxAgent({ name: 'Analyst', model }), 'Count the files.', { sandbox: { session: sandbox } });
 */
export async function createSandbox(session: Session, options: SandboxOptions = {}): Promise<HoldfastSandbox> {
  const workspace = await findWorkspace(session, options.signal ? { signal: options.signal } : {});
  const { files } = session;
  const executions = createExecutions(session, workspace, options);
  const kindOf = async (path: string) => (await files.stat(workspace.inApi(path)))?.kind;

  const materialize = async (path: string, entry: Entry): Promise<void> => {
    if (entry.type === 'file') {
      await files.write(workspace.inApi(path), entry.content as string | Uint8Array<ArrayBuffer>);
    } else if (entry.type === 'dir') {
      await files.makeDirectory(workspace.inApi(path));
      for (const [name, child] of Object.entries(entry.children ?? {})) await materialize(`${path}/${name}`, child);
    } else {
      throw new SandboxUnsupportedFeatureError(`a Holdfast session takes files and directories, and no ${entry.type}`);
    }
  };

  return {
    state: { manifest: new Manifest({ root: workspace.root }), workspaceReady: true },

    ...executions,

    createEditor(runAs) {
      refuseRunAs(runAs);
      return createEditor(session, workspace);
    },

    async readFile({ path, runAs, maxBytes }) {
      refuseRunAs(runAs);
      const inApi = workspace.inApi(path);
      const stream = await files.stream(inApi, options.signal && { signal: options.signal });
      const bytesMax = options.fileBytesMax ?? fileBytesMaxDefault;
      if (maxBytes === undefined) return await readWhole(stream, { path, bytesMax });
      return await readAtMost(stream, Math.min(maxBytes, bytesMax));
    },

    async viewImage({ path, runAs }) {
      refuseRunAs(runAs);
      const found = await files.stat(workspace.inApi(path));
      if (!found) throw new Error(`image not found: ${path}`);
      if (found.kind === 'directory') throw new Error(`not a file: ${path}`);
      // The size of a link is not that of its file, and a file can grow.
      const bytes = await readAtMost(await files.stream(workspace.inApi(path)), imageBytesMax + 1);
      if (bytes.length > imageBytesMax) throw new Error(`the image exceeds the 10 MB limit: ${path}`);
      return imageOf(bytes, path);
    },

    async listDir({ path, runAs }) {
      refuseRunAs(runAs);
      const entries = await files.list(workspace.inApi(path));
      if (entries.truncated) throw new HoldfastError('unexpected-answer', `${path} has more entries than a list holds`);
      return entries.map(({ path: inApi, kind }) => ({
        name: inApi.slice(inApi.lastIndexOf('/') + 1),
        path: workspace.absolute(inApi),
        type: kind === 'directory' ? 'dir' : kind === 'file' ? 'file' : 'other',
      }));
    },

    pathExists: async (path) => (await kindOf(path)) !== undefined,
    directoryExists: async (path) => (await kindOf(path)) === 'directory',

    async materializeEntry({ path, entry, runAs }) {
      refuseRunAs(runAs);
      await materialize(path, entry);
    },

    async resolveExposedPort(port) {
      const opened = await session.ports.open(port, { access: 'link', waitSeconds: 30 });
      const url = new URL(opened.url);
      const tls = url.protocol === 'https:';
      return {
        host: url.hostname,
        port: Number(url.port) || (tls ? 443 : 80),
        tls,
        query: url.search.slice(1),
        url: url.href,
      };
    },

    running: async () => (await session.refresh()).status === 'active',
  };
}

const imageBytesMax = 10 * 1024 * 1024;

/** Every command and every file belongs to the one user of the sandbox. */
export function refuseRunAs(runAs: string | undefined): void {
  if (runAs)
    throw new SandboxUnsupportedFeatureError(`a Holdfast session has one user, so nothing can run as ${runAs}`);
}
