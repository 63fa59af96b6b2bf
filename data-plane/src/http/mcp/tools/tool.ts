import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
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

/**
 * The schemas that models see hold for clients without references and without look-ahead in patterns, which the schemas of the API have. Those
 * check what these let through.
 */
export const languageInput = z.string().min(1).max(63);
export const contextInput = z.string().min(1).max(63);

/** A result that says the same as text and in structured form. */
export const answer = (text: string, structuredContent: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent,
});
