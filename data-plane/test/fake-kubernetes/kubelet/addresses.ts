/** The addresses of pods. `reuse: 'last'` gives out the address that was freed last, `'oldest'` the one that has been free longest. */
export function createAddresses(all: readonly string[], { reuse }: { reuse: 'last' | 'oldest' }) {
  const free = [...all];
  return {
    all,
    get free(): number {
      return free.length;
    },
    take(): string {
      const address = free.shift();
      if (!address) throw new Error('all addresses are taken');
      return address;
    },
    giveBack(address: string): void {
      if (reuse === 'last') free.unshift(address);
      else free.push(address);
    },
  };
}

export type Addresses = ReturnType<typeof createAddresses>;
