import * as z from 'zod';
import { operationNameSchema } from '../public/operation.ts';

/**
 * A program of the sandbox calls an operation over the Unix socket that `HOLDFAST_OPERATIONS` names: one connection for each call, one line
 * of JSON (below) from the program, and one line back, `{value}` or `{error: {name, message, rule?}}`. `kernel` is its `HOLDFAST_KERNEL`.
 */
export const operationLineSchema = z.strictObject({
  kernel: z.string().max(64),
  name: operationNameSchema,
  arguments: z.array(z.unknown()),
});

/** The environment variables by which programs find the socket, and Node for the `holdfast` command. */
export const operationsVariable = 'HOLDFAST_OPERATIONS';
export const nodeVariable = 'HOLDFAST_NODE';
