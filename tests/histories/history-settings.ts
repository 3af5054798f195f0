/** The settings of the histories, from the environment. `scripts/soak.mjs` sets them. */
const { HISTORIES_SEED, HISTORIES_OPERATIONS = '100000', HISTORIES_SECONDS } = process.env;

/** @param seconds the default duration. */
export const historySettings = (
  seconds: number,
): { readonly seed: number; readonly operations: number; readonly milliseconds: number } => ({
  seed: HISTORIES_SEED === undefined ? Date.now() % 1_000_000 : Number(HISTORIES_SEED),
  operations: Number(HISTORIES_OPERATIONS),
  milliseconds: Number(HISTORIES_SECONDS ?? seconds) * 1000,
});
