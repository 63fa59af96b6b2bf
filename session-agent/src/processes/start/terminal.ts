import { closeSync, constants, openSync } from 'node:fs';
import { Problem, type TerminalSize } from '@holdfast/specs/public';

/** The part that this module uses of koffi's native half; see ../../../../runtime-images/not-dumpable.ts. */
type Koffi = {
  load(library: null): { func(prototype: string): (descriptor: number, request: number, value: Uint8Array) => number };
};
type Ioctl = ReturnType<ReturnType<Koffi['load']>['func']>;

/** Requests of ioctl_tty(2), which are the same on x64 and arm64. */
const unlock = 0x40045431;
const getNumber = 0x80045430;
const setSize = 0x5414;

/** The master side of a pseudoterminal. Its descriptor does not block, and no program inherits it. */
export type Terminal = { descriptor: number; path: string; resize(size: TerminalSize): void };

/** @throws Problem `unsupported-by-runtime` if the system has no terminals, or this machine is not one of those that the library is for */
export function openTerminal(size: TerminalSize): Terminal {
  let descriptor: number | null = null;
  try {
    const ioctl = loadIoctl();
    const opened = openSync('/dev/ptmx', constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    descriptor = opened;
    const ask = (request: number, value: ArrayLike<number> & { buffer: ArrayBuffer }) => {
      if (ioctl(opened, request, new Uint8Array(value.buffer)) !== 0) throw new Error(`ioctl ${request} failed`);
    };
    const number = new Uint32Array(1);
    ask(unlock, new Int32Array(1));
    ask(getNumber, number);
    const resize = ({ columns, rows }: TerminalSize) => ask(setSize, new Uint16Array([rows, columns, 0, 0]));
    resize(size);
    return { descriptor, path: `/dev/pts/${number[0]}`, resize };
  } catch (cause) {
    if (descriptor !== null) closeSync(descriptor);
    throw new Problem('unsupported-by-runtime', { detail: 'the sandbox has no terminals', cause });
  }
}

const besideBundle = './koffi.node';
let ioctl: Ioctl | undefined;

/** Loads the library when the first terminal is opened. In a bundle it is beside the agent. */
function loadIoctl(): Ioctl {
  if (ioctl) return ioctl;
  const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);
  const load = (): Koffi => {
    try {
      return require(besideBundle);
    } catch {
      const { platform, arch } = process;
      return require(`@koromix/koffi-${platform}-${arch}/${platform}_${arch}/koffi.node`);
    }
  };
  ioctl = load().load(null).func('int ioctl(int, unsigned long, _Inout_ uint8_t *)');
  return ioctl;
}
