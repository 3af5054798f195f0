/**
 * A position in the one order of all invalidations. Every invalidation takes the next number; a reader notes the
 * current number before it starts to compute.
 */
export type Sequence = number & { readonly __brand: 'sequence' };

export const sequence = (value: number): Sequence => value as Sequence;

/** The number before the first invalidation. */
export const NO_INVALIDATION = sequence(0);

export const isSequence = (value: unknown): value is Sequence => Number.isSafeInteger(value) && Number(value) >= 0;
