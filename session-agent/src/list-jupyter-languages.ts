import { listKernelspecs } from './kernel-process/kernelspecs/list-kernelspecs.ts';

/** Prints the languages that Jupyter kernels on this machine provide, as JSON. The argument is a `KernelspecSettings` as JSON. */
console.log(JSON.stringify([...listKernelspecs(JSON.parse(process.argv[2] ?? '')).keys()]));
