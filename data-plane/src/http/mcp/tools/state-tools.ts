import { contextIdSchema, faultWords, invalidRequest } from '@holdfast/specs/public';
import { z } from 'zod';
import { jsonSlices } from '../../../reading/json-slices.ts';
import type { Call } from '../call/call.ts';
import { inSession } from '../call/in-session.ts';
import { answer, contextInput, defineTool, type Tool } from './tool.ts';

const symbolsMax = 200;
/** In characters of the JSON of a context's code. */
const codeMax = 16_384;

const getContextTool = defineTool({
  name: 'get_context',
  title: 'Show what is defined',
  description: `Shows the interpreters of the session, the names that code has defined in them (at most ${symbolsMax}), and the beginning of the code that ran. Call it to find out what is still in memory, or what another person or agent did.`,
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.object({
    contexts: z.array(z.object({ context: z.string(), language: z.string(), code: z.string() })),
    symbols: z.array(
      z.object({ context: z.string(), name: z.string(), kind: z.string(), type: z.string(), preview: z.string() }),
    ),
    truncated: z.boolean().describe('Whether names or code are left out'),
    sessionId: z.string(),
  }),
  call: (call) =>
    inSession(call, async (sessionId) => {
      const shown = await readContext(call, sessionId);
      const names = shown.symbols.map(
        ({ context, name, type, preview }) => `${context}: ${name}: ${type} = ${preview}`,
      );
      const code = shown.contexts.map(({ context, code }) => `--- code of ${context} ---\n${code}`);
      return answer([...names, ...code].join('\n') || '(nothing has run yet)', { ...shown, sessionId });
    }),
});

async function readContext({ verbs, caller, left }: Call, sessionId: string) {
  const answered = await verbs.getSessionContext({ caller, sessionId });
  const opened = await answered.open({ tenant: caller.tenant, signal: left });
  let truncated = opened.symbols.length > symbolsMax;
  const contexts: { context: string; language: string; code: string }[] = [];
  for (const { contextId, language, combinedCode } of opened.contexts) {
    const { text, isWhole } = await beginningOf(combinedCode);
    truncated ||= !isWhole;
    contexts.push({ context: contextId, language, code: text });
  }
  const symbols = opened.symbols
    .slice(0, symbolsMax)
    .map(({ contextId, name, kind, type, preview }) => ({ context: contextId, name, kind, type, preview }));
  return { contexts, symbols, truncated };
}

/** The beginning of a text that comes as JSON, in slices. */
async function beginningOf(streamed: object): Promise<{ text: string; isWhole: boolean }> {
  let json = '';
  let isWhole = true;
  for await (const slice of jsonSlices(streamed)) {
    json += slice.toString();
    if (json.length <= codeMax) continue;
    isWhole = false;
    break;
  }
  if (isWhole) return { text: JSON.parse(json), isWhole };
  // The cut may have gone through an escape, which has six characters at most, or through a character of two units.
  for (let end = codeMax; end > codeMax - 6; end--) {
    try {
      return { text: `${JSON.parse(`${json.slice(0, end)}"`).toWellFormed()}\n[…]`, isWhole };
    } catch {}
  }
  return { text: '', isWhole };
}

const restartTool = defineTool({
  name: 'restart_interpreter',
  title: 'Restart an interpreter',
  description:
    'Gives a context a new interpreter: its variables, imports and functions are gone, running code is interrupted, files stay. Use it when an interpreter hangs or its state is broken.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    context: contextInput
      .default('python')
      .describe('A language, for its interpreter, or the id of a context from get_context'),
  }),
  output: z.object({ context: z.string(), language: z.string(), contextEpoch: z.number().int() }),
  call: (call, { context: wanted }) =>
    inSession(call, async (sessionId) => {
      const { verbs, caller } = call;
      const { data: contextId, error } = contextIdSchema.safeParse(wanted, { error: faultWords });
      if (error) throw invalidRequest(error, '/context');
      const { id: context, language, contextEpoch } = await verbs.restartContext({ caller, sessionId, contextId });
      return answer(`Restarted ${context}: its memory is empty`, { context, language, contextEpoch });
    }),
});

export const stateTools: readonly Tool[] = [getContextTool, restartTool];
