const frameworkFolders = /^\/(large_tool_results|conversation_history)(\/|$)/;

/**
 * The path of a file in the sandbox. The framework keeps long results and old messages at the root, which a sandbox does not let it write. They
 * are in the folder for temporary files, so that they do not count as changes of the agent.
 */
export function placedPath(sessionId: string, path: string): string {
  return frameworkFolders.test(path) ? `/tmp/holdfast-${sessionId}${path}` : path;
}
