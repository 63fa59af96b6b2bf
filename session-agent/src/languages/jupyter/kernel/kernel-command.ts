import * as z from 'zod';

/** How the agent wants the kernel to be started; see ../../../kernel-process/start/jupyter-command.ts. */
const commandSchema = z.object({
  /** The program and its arguments, in which `{connection_file}` stands for the file's path. */
  argv: z.array(z.string()).min(1),
  /** Variables of the kernel alone. */
  env: z.record(z.string(), z.string()),
  interruptMode: z.enum(['signal', 'message']),
  /** A folder for the kernel's sockets, which only this user can open. The agent removes it after our end. */
  folder: z.string(),
});

export type JupyterCommand = z.infer<typeof commandSchema>;

export const parseCommand = (json: string): JupyterCommand => commandSchema.parse(JSON.parse(json));
