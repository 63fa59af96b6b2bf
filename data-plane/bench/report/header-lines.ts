import type { Header } from '../header/describe-run.ts';

/** The header of a run for a person. Pure. */
export function headerLines(header: Header): string[] {
  const { machine, versions, commit, isDirty, fsyncMs, guarantees, options } = header;
  return [
    `machine     ${machine.processors} x ${machine.model}, ${machine.memoryGib} GiB, ${machine.system}`,
    `load        ${header.loadAtStart.join(' ')} at the start, ${header.loadAtEnd.join(' ')} at the end`,
    `versions    ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}`,
    `commit      ${commit}${isDirty ? ', with changes' : ''}`,
    `fsync       ${fsyncMs.p50} ms (${fsyncMs.p10} to ${fsyncMs.p90})`,
    `guarantees  fsync ${guarantees.fsync}, synchronous_commit ${guarantees.synchronousCommit}, agent authentication ${guarantees.agentAuthentication}, proof of the peer ${guarantees.peerProof}`,
    `run         ${header.startedAt}, ${options.size}, seed ${options.seed}`,
  ];
}
