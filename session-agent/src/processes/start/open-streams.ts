import { closeSync, constants, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentProcess } from '@holdfast/specs/agent';
import { createFifoReader, createTerminalReader, type FifoReader } from '../../kernel-process/fifo-reader.ts';
import { DescriptorWriter } from '../input/descriptor-writer.ts';
import type { OutputStream } from '../log/process-log.ts';
import type { ProcessStarter, Program, StreamName } from './process-starter.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** The agent's ends of a process's streams. */
export type Streams = {
  ofProgram: Pick<Program, 'folder' | 'names' | 'terminal'>;
  terminal: Terminal | null;
  input: DescriptorWriter | null;
  /** Begins to read. Call it once the program has its own ends: before, a FIFO would seem to have ended. */
  readers(): Map<OutputStream, FifoReader>;
  /** Instead of `readers`, if the program was not started. */
  abandon(): void;
};

type Wanted = Pick<AgentProcess, 'stdin' | 'stderr' | 'terminal'>;

/** @throws NotStartedError, or Problem `unsupported-by-runtime` without terminals */
export async function openStreams(starter: Pick<ProcessStarter, 'makeFifos'>, wanted: Wanted): Promise<Streams> {
  if (wanted.terminal) return terminalStreams(openTerminal(wanted.terminal));
  const names: StreamName[] = ['1'];
  if (wanted.stdin !== false) names.push('0');
  if (wanted.stderr === 'separate') names.push('2');
  return fifoStreams(await starter.makeFifos(names), names);
}

function terminalStreams(terminal: Terminal): Streams {
  return {
    ofProgram: { folder: null, names: [], terminal: terminal.path },
    terminal,
    input: new DescriptorWriter(terminal.descriptor, { isShared: true }),
    readers: () => new Map([['stdout', createTerminalReader(terminal.descriptor)]]),
    abandon: () => closeSync(terminal.descriptor),
  };
}

function fifoStreams(folder: string, names: readonly StreamName[]): Streams {
  const opened: number[] = [];
  const open = (name: StreamName, flags: number) => {
    const descriptor = openSync(join(folder, name), flags | constants.O_NONBLOCK);
    opened.push(descriptor);
    return descriptor;
  };
  const abandon = () => {
    for (const descriptor of opened) closeSync(descriptor);
    void rm(folder, { recursive: true, force: true }).catch(() => {});
  };
  try {
    // Only a FIFO that is open for reading can be opened for writing without a wait.
    const firstReader = names.includes('0') ? open('0', constants.O_RDWR) : null;
    const writer = firstReader === null ? null : open('0', constants.O_WRONLY);
    const output = open('1', constants.O_RDONLY);
    const errors = names.includes('2') ? open('2', constants.O_RDONLY) : null;
    return {
      ofProgram: { folder, names, terminal: null },
      terminal: null,
      input: writer === null ? null : new DescriptorWriter(writer, { isShared: false }),
      readers() {
        if (firstReader !== null) closeSync(firstReader);
        const readers = new Map<OutputStream, FifoReader>([['stdout', createFifoReader(output)]]);
        if (errors !== null) readers.set('stderr', createFifoReader(errors));
        return readers;
      },
      abandon,
    };
  } catch (error) {
    abandon();
    throw error;
  }
}
