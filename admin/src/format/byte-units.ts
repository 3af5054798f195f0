const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

export interface ByteAmount {
  readonly amount: number;
  readonly unit: (typeof UNITS)[number];
}

/** Expresses a size in the largest decimal unit that fits. */
export const inByteUnits = (bytes: number): ByteAmount => {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return { amount: bytes / 1000 ** power, unit: UNITS[power] ?? 'byte' };
};
