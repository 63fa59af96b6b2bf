import type { Readiness } from '@holdfast/sdk';
import type { ChosenServer } from '../connection/choose-server.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** The version of the API that this program speaks. */
const apiVersion = '1';

const clockSecondsMax = 30;

/** Whether the server answers, is ready, speaks our API, and has the same time. Empty if it does not answer at all but for that finding. */
export async function checkServer({
  url,
  source,
}: ChosenServer): Promise<{ findings: Finding[]; isReachable: boolean }> {
  let answer: Response;
  try {
    answer = await get(url, '/readyz');
  } catch (error) {
    const { message, cause } = error as Error;
    const detail = `${url} (${source}) does not answer: ${cause instanceof Error ? cause.message || cause.name : message}`;
    const advice = 'start a server with `holdfast up`, or name another with --url or HOLDFAST_URL';
    return { findings: [fault('server', detail, advice)], isReachable: false };
  }
  const readiness = (await answer.json().catch(() => null)) as Readiness | null;
  if (typeof readiness?.ready !== 'boolean') {
    const detail = `${url} (${source}) answers with status ${answer.status}, and not as Holdfast does`;
    return {
      findings: [fault('server', detail, 'check the address, and what stands before the server')],
      isReachable: false,
    };
  }
  const findings = [
    readiness.ready
      ? ok('server', `${url} (${source}) is ready`)
      : fault('server', `${url} is not ready: ${faultsOf(readiness)}`, 'see the log of the server; it may be starting'),
    clockFinding(answer.headers.get('Date')),
    await versionFinding(url),
  ];
  if (readiness.agentAuthBypassed) {
    findings.push(
      warning(
        'agents',
        'session-agents accept requests without a token',
        'unset HOLDFAST_INSECURE_SKIP_AGENT_AUTH unless this is for development',
      ),
    );
  }
  return { findings, isReachable: true };
}

const get = (url: string, path: string) =>
  fetch(`${url.replace(/\/+$/, '')}${path}`, { signal: AbortSignal.timeout(5000) });

const faultsOf = ({ checks }: Readiness) =>
  Object.entries(checks)
    .filter(([, state]) => state !== 'ok')
    .map(([name, state]) => `${name}: ${state}`)
    .join(', ');

/** The header has whole seconds. */
export function clockFinding(date: string | null, now = Date.now()): Finding {
  const seconds = date === null ? Number.NaN : Math.round((Date.parse(date) - now) / 1000);
  if (Number.isNaN(seconds)) return warning('clock', 'the server tells no time', 'check what stands before the server');
  if (Math.abs(seconds) <= clockSecondsMax) return ok('clock', 'as that of the server');
  const side = seconds > 0 ? 'behind' : 'ahead of';
  return warning(
    'clock',
    `this machine is ${Math.abs(seconds)} s ${side} the server`,
    'set the clock of the one that is wrong, such as with NTP; signed URLs and tokens expire by it',
  );
}

async function versionFinding(url: string): Promise<Finding> {
  const document = await get(url, '/openapi.json')
    .then((answer) => answer.json())
    .catch(() => null);
  const version = (document as { info?: { version?: unknown } } | null)?.info?.version;
  if (version === apiVersion) return ok('API', `version ${apiVersion}, which this program speaks`);
  return warning(
    'API',
    `version ${version ?? 'unknown'}, and this program speaks ${apiVersion}`,
    'use the `holdfast` of that version',
  );
}
