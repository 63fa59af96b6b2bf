import type { Command } from 'commander';
import { chosenServer, connect } from '../connection/connect.ts';
import { checkCluster } from '../doctor/check-cluster.ts';
import { checkKey } from '../doctor/check-key.ts';
import { checkMachine } from '../doctor/check-machine.ts';
import { checkRuntime } from '../doctor/check-runtime.ts';
import { checkServer } from '../doctor/check-server.ts';
import type { Finding } from '../doctor/finding.ts';
import type { Kind } from '../output/list-writer.ts';
import { printer } from '../output/printer.ts';
import { withProgress } from '../output/progress.ts';

const kind: Kind<Finding> = {
  columns: {
    CHECK: ({ check }) => check,
    STATUS: ({ status }) => status,
    FOUND: ({ detail, advice }) => (advice ? `${detail}. To do: ${advice}` : detail),
  },
  name: ({ check }) => check,
};

type DoctorOptions = { cluster?: string | true; account?: string };

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check the server, the key, the runtime and the clock, and say what to do; 1 if something is at fault')
    .option(
      '--cluster [namespace]',
      'also the rights in the cluster of kubectl, in holdfast-sandboxes or another namespace',
    )
    .option('--account <namespace:name>', "the data-plane's service account; default: the account of kubectl")
    .addHelpText('after', examples)
    .action(async (options: DoctorOptions, command: Command) => {
      const findings = await withProgress('Looking', examine(options, command));
      await printer(command).list(findings, { ...kind });
      if (findings.some(({ status }) => status === 'fault')) process.exitCode = 1;
    });
}

const examples = `
Examples:
  $ holdfast doctor
  $ holdfast doctor --cluster --account holdfast:holdfast`;

async function examine({ cluster, account }: DoctorOptions, command: Command): Promise<Finding[]> {
  const server = await chosenServer(command);
  const holdfast = await connect(command, { reconnectSeconds: 10 });
  const findings = await checkMachine(command.parent?.version() ?? '');
  const { findings: ofServer, isReachable } = await checkServer(server);
  findings.push(...ofServer);
  if (isReachable) {
    const key = await checkKey(holdfast, server.apiKey);
    findings.push(key);
    if (key.status === 'ok') findings.push(...(await checkRuntime(holdfast)));
  }
  if (cluster !== undefined) {
    const namespace = cluster === true ? 'holdfast-sandboxes' : cluster;
    findings.push(...(await checkCluster({ namespace, account })));
  }
  return findings;
}
