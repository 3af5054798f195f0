import type { ResolvedEdge, ResolvedWarm } from '../../../server/src/config/resolved-config';
import { parseConfig } from '../../../server/src/config/schema';

/** What the options have that a user leaves out. */
export const DEFAULTS = parseConfig({ strategy: { warm: true, audit: {}, edge: {} } });

export const { keys: DEFAULT_KEYS, stale: DEFAULT_STALE } = DEFAULTS.strategy;
export const DEFAULT_WARM = DEFAULTS.strategy.warm as ResolvedWarm;
export const DEFAULT_EDGE = DEFAULTS.strategy.edge as ResolvedEdge;
