import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import { agentArchiveOperations } from './agent/archive-operations.ts';
import { agentContextOperations } from './agent/context-operations.ts';
import { agentFileOperations } from './agent/file-operations.ts';
import { agentPortOperations } from './agent/port-operations.ts';
import { agentProcessOperations } from './agent/process-operations.ts';
import { agentProcessStreamOperations } from './agent/process-stream-operations.ts';
import { agentSessionOperations } from './agent/session-operations.ts';
import { agentStateOperations } from './agent/state-operations.ts';
import { agentStepOperations } from './agent/step-operations.ts';
import { agentStepStreamOperations } from './agent/step-stream-operations.ts';
import { type Operation, routeConfig } from './parts/operation.ts';
import { keySchemeDefinitions, tokenSchemeDefinitions } from './parts/security.ts';
import { apiKeyOperations } from './public/api-key-operations.ts';
import { archiveOperations } from './public/archive-operations.ts';
import { artifactOperations } from './public/artifact-operations.ts';
import { auditOperations } from './public/audit-operations.ts';
import { budgetOperations } from './public/budget-operations.ts';
import { calledOperations } from './public/called-operations.ts';
import { commOperations } from './public/comm-operations.ts';
import { contextOperations } from './public/context-operations.ts';
import { editorOperations } from './public/editor-operations.ts';
import { fileOperations } from './public/file-operations.ts';
import { languageOperations } from './public/language-operations.ts';
import { namedSnapshotOperations } from './public/named-snapshot-operations.ts';
import { portOperations } from './public/port-operations.ts';
import { processOperations } from './public/process-operations.ts';
import { processStreamOperations } from './public/process-stream-operations.ts';
import { proposalOperations } from './public/proposal-operations.ts';
import { runOperations } from './public/run-operations.ts';
import { serverOperations } from './public/server-operations.ts';
import { sessionOperations } from './public/session-operations.ts';
import { sharingOperations } from './public/sharing-operations.ts';
import { snapshotOperations } from './public/snapshot-operations.ts';
import { stateOperations } from './public/state-operations.ts';
import { stepOperations } from './public/step-operations.ts';
import { stepStreamOperations } from './public/step-stream-operations.ts';
import { webhookOperations } from './public/webhook-operations.ts';

type SecuritySchemes = Record<string, Parameters<OpenAPIRegistry['registerComponent']>[2]>;

/** The operations of the public API, in the order of the document. */
export const publicOperations: readonly Operation[] = [
  ...sessionOperations,
  ...budgetOperations,
  ...stepOperations,
  ...stepStreamOperations,
  ...sharingOperations,
  ...calledOperations,
  ...processOperations,
  ...processStreamOperations,
  ...runOperations,
  ...webhookOperations,
  ...fileOperations,
  ...archiveOperations,
  ...portOperations,
  ...artifactOperations,
  ...proposalOperations,
  ...contextOperations,
  ...stateOperations,
  ...snapshotOperations,
  ...namedSnapshotOperations,
  ...languageOperations,
  ...editorOperations,
  ...commOperations,
  ...auditOperations,
  ...apiKeyOperations,
  ...serverOperations,
];

/** The operations of the session-agent, in the order of the document. */
export const agentOperations: readonly Operation[] = [
  ...agentSessionOperations,
  ...agentStepOperations,
  ...agentStepStreamOperations,
  ...agentProcessOperations,
  ...agentProcessStreamOperations,
  ...agentContextOperations,
  ...agentStateOperations,
  ...agentFileOperations,
  ...agentArchiveOperations,
  ...agentPortOperations,
];

/** The OpenAPI 3.1 document of the public API. */
export const publicDocument = () =>
  document({
    title: 'Holdfast',
    description:
      'Live interpreter sessions: code arrives as steps, and state stays from step to step. Errors are RFC 9457 problems, which list all faults of a request at once.',
    operations: publicOperations,
    securitySchemes: keySchemeDefinitions,
  });

/** The OpenAPI 3.1 document of the session-agent, which only the data-plane calls. */
export const agentDocument = () =>
  document({
    title: 'Holdfast session-agent',
    description: 'The server inside a sandbox. Only the data-plane calls it, with a token for one session and epoch.',
    operations: agentOperations,
    securitySchemes: tokenSchemeDefinitions,
  });

function document(input: {
  title: string;
  description: string;
  operations: readonly Operation[];
  securitySchemes: SecuritySchemes;
}) {
  const registry = new OpenAPIRegistry();
  for (const [name, scheme] of Object.entries(input.securitySchemes)) {
    registry.registerComponent('securitySchemes', name, scheme);
  }
  for (const operation of input.operations) registry.registerPath(routeConfig(operation));
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: input.title, version: '1', description: input.description },
    servers: [{ url: '/' }],
    tags: [...new Set(input.operations.map(({ tag }) => tag))].map((name) => ({ name })),
  });
}
