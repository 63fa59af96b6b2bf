import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { Call } from '../call/call.ts';

/** A tool as models see it. The texts are for them: short and exact, with the limits. */
export type Tool<Input extends z.ZodObject = z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: Input;
  output: z.ZodObject;
  call(call: Call, input: z.output<Input>): Promise<CallToolResult>;
};

/** Ties the type of what a tool gets to its schema. */
export const defineTool = <Input extends z.ZodObject>(tool: Tool<Input>): Tool => tool as unknown as Tool;

/** A result that says the same as text and in structured form. */
export const answer = (text: string, structuredContent: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent,
});
