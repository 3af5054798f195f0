import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT, WORK } from './paths';

/** A digest of all files below these paths. */
export const digest = (...places: string[]): string => {
  const hash = createHash('sha1');
  const visit = (place: string): void => {
    if (statSync(place).isDirectory()) {
      for (const name of readdirSync(place).sort()) if (name !== 'node_modules') visit(path.join(place, name));
    } else {
      hash.update(place).update(readFileSync(place));
    }
  };
  for (const place of places) visit(path.join(ROOT, place));
  return hash.digest('hex');
};

/** Runs a build step, unless its last run had the same sources and its product still exists. */
export const once = (step: string, sources: string, product: string, run: () => void): void => {
  const note = path.join(WORK, `${step}.digest`);
  if (existsSync(product) && existsSync(note) && readFileSync(note, 'utf8') === sources) return;
  const startedAt = Date.now();
  run();
  writeFileSync(note, sources);
  console.log(`${step}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
};
