/** One JSON line on stderr. */
export function logError(message: string, error?: unknown): void {
  const detail = error instanceof Error ? (error.stack ?? error.message) : error;
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level: 'error', message, detail })}\n`);
}
