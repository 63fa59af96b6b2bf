import openapi from '@holdfast/specs/openapi.json' with { type: 'json' };
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { z } from 'zod';
import type { Ask, Call, Notify } from '../call/call.ts';
import { uriTemplates } from '../call/resource-uri.ts';
import type { RunningCalls } from '../call/running-calls.ts';
import { listResources } from '../resources/list-resources.ts';
import { readResource } from '../resources/read-resource.ts';
import { asMcpError, callTool, listedTools } from '../tools/call-tool.ts';
import { questionId } from './event-id.ts';

const implementation = { name: 'holdfast', title: 'Holdfast', version: openapi.info.version };

const instructions =
  'Runs code in a sandbox with live interpreters: variables, imports, files and the shell stay from call to call, and each connection has its own session. Prefer small steps, and look at results before you go on. Use files of the workspace to pass on data.';

/** It compiles nothing before its first use, and there is none here: this server checks by itself what its clients answer. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** The SDK takes parameters that do not fit the schema of a request for a fault of the server. */
const anyCall = z.looseObject({ method: z.literal('tools/call') });
const anyRead = z.looseObject({ method: z.literal('resources/read') });

function paramsOf<Params>(schema: z.ZodType<{ params: Params }>, request: unknown): Params {
  const { data, error } = schema.safeParse(request);
  if (error) throw new McpError(ErrorCode.InvalidParams, `the parameters are not valid: ${z.prettifyError(error)}`);
  return data.params;
}

/** The input may be empty, so it is not required. */
const formFor = (prompt: string) => ({
  message: `The code asks for input${prompt && `: ${prompt}`}`,
  requestedSchema: { type: 'object', properties: { input: { type: 'string', title: 'Input' } } },
});

type Serving = {
  call: AskedCall;
  calls: RunningCalls;
  /** Answers a call of a tool; by default the call is made. */
  answerCall?: (call: Call) => ReturnType<typeof callTool>;
  /** Hears of errors that are ours. */
  onFault(error: unknown): void;
};

/** A call as it arrives. */
export type AskedCall = Omit<Call, 'notify' | 'ask' | 'cancelled' | 'lookForCancel'>;

/** The server for one request of a client. It has no state of its own, so any replica can serve the next one. */
export function createMcpServer({ call, calls, answerCall, onFault }: Serving): Server {
  const server = new Server(implementation, {
    capabilities: { tools: {}, resources: {} },
    instructions,
    jsonSchemaValidator,
  });

  /** Passes on errors in the protocol's form. A client may leave. */
  const served = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      const answered = asMcpError(error);
      if (answered.code === ErrorCode.InternalError && !call.left.aborted) onFault(error);
      throw answered;
    }
  };

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listedTools }));

  server.setRequestHandler(anyCall, (request, { _meta, requestId, sendNotification }) => {
    const params = paramsOf(CallToolRequestSchema, request);
    const progressToken = _meta?.progressToken;
    const notify: Notify = (progress, message) => {
      const notification = { method: 'notifications/progress' as const, params: { progressToken, progress, message } };
      // A client that has left gets the rest when it comes back.
      sendNotification(notification as Parameters<typeof sendNotification>[0]).catch(() => {});
    };
    /** The answer comes as a message of its own, so the SDK must not wait for it here. */
    const ask: Ask = ({ seq, sessionId, prompt }) => {
      const id = questionId({ requestId, sessionId }, seq);
      const question = { jsonrpc: '2.0' as const, id, method: 'elicitation/create', params: formFor(prompt) };
      // A client that has left is asked again when it comes back.
      server.transport?.send(question, { relatedRequestId: requestId }).catch(() => {});
    };
    const work = (cancelled: AbortSignal) => {
      const begun: Call = {
        ...call,
        cancelled,
        lookForCancel: calls.look,
        notify: progressToken === undefined ? null : notify,
        ask: call.mcp.elicits ? ask : null,
      };
      return answerCall ? answerCall(begun) : callTool(begun, { name: params.name, given: params.arguments });
    };
    return served(calls.during(call, work));
  });

  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => served(listResources(call, params?.cursor)));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: uriTemplates }));
  server.setRequestHandler(anyRead, (request) =>
    served(readResource(call, paramsOf(ReadResourceRequestSchema, request).uri)),
  );
  return server;
}
