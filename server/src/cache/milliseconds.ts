/**
 * A duration in milliseconds, the only unit of time in the configuration and inside the plugin.
 * Branded so that seconds (HTTP's `max-age`, `Age`) cannot be passed where milliseconds are meant.
 */
export type Milliseconds = number & { readonly __unit: 'ms' };

/** Marks a plain number as a duration in milliseconds. */
export const milliseconds = (value: number): Milliseconds => value as Milliseconds;

/** HTTP counts whole seconds (RFC 9110, section 5.6.7 and RFC 9111, section 1.2.2); fractions round down. */
export const toSeconds = (duration: Milliseconds): number => Math.max(0, Math.floor(duration / 1000));
