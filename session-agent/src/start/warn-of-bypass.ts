const everyMs = 60_000;

/** Says now and each minute that agent authentication is bypassed, so that nobody can overlook it in a log. */
export function warnOfBypass(log: (message: string) => void): NodeJS.Timeout {
  const warn = () => log('agent authentication is bypassed: whoever reaches this port may run code');
  warn();
  return setInterval(warn, everyMs).unref();
}
