import type { ListResourcesResult } from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../call/call.ts';
import { artifactUri } from '../call/resource-uri.ts';

const pageSize = 100;

/** The files that steps of the current session have left, oldest first. */
export async function listResources(
  { verbs, caller, mcp }: Pick<Call, 'verbs' | 'caller' | 'mcp'>,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const { sessionId } = mcp;
  if (sessionId === null) return { resources: [] };
  const page = await verbs.listArtifacts({ caller, sessionId, limit: pageSize, cursor });
  return {
    resources: page.items
      .filter(({ url }) => url !== null)
      .map(({ id, path, mimeType, size, createdAt }) => ({
        uri: artifactUri({ sessionId, artifactId: id }),
        name: path,
        annotations: { lastModified: createdAt },
        ...(mimeType && { mimeType }),
        ...(size !== null && { size }),
      })),
    ...(page.nextCursor !== null && { nextCursor: page.nextCursor }),
  };
}
