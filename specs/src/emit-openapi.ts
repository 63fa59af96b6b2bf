import { writeFileSync } from 'node:fs';
import { agentDocument, publicDocument } from './openapi/document.ts';

/** Writes the committed OpenAPI documents. */
const directory = new URL('../openapi/', import.meta.url);
const write = (name: string, document: object) =>
  writeFileSync(new URL(name, directory), `${JSON.stringify(document, null, 2)}\n`);

write('holdfast.json', publicDocument());
write('session-agent.json', agentDocument());
