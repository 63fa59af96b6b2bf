import type { Config } from '../config/parse-config.ts';
import type { Logger } from '../observability/logger.ts';
import { loopback } from './bootstrap-api-key.ts';
import type { OnStop } from './on-stop.ts';

type WarnInput = {
  config: Config;
  keyless: boolean;
  agentAuthBypassed: boolean;
  log: Logger;
  progress: (message: string) => void;
  onStop: OnStop;
};

/** Tells the operator which protections are off. A bypassed agent authentication is logged every minute. */
export function warnOfDangers({ config, keyless, agentAuthBypassed, log, progress, onStop }: WarnInput): void {
  if (config.runtime === 'process') progress('the process runtime isolates nothing: run only code that you trust');
  if (config.runtime === 'container' && !loopback.test(config.http.host)) {
    log.warn({ host: config.http.host }, 'sandboxes can reach this port, unless a firewall blocks their networks');
  }
  if (keyless) progress('no API key is set: anyone who can reach this port can run code');
  if (!agentAuthBypassed) return;
  const complain = () => log.error('agent authentication is bypassed: HOLDFAST_INSECURE_SKIP_AGENT_AUTH is set');
  complain();
  const timer = setInterval(complain, 60_000);
  onStop(async () => clearInterval(timer));
}
