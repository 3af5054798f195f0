import { describe } from 'vitest';
import type { ContentTypeConfig, StrategyConfig } from '../../../server/src/config/user-config';
import type { Application } from '../../application/start-application';
import { STACK } from '../../application/stack';
import { runningApplication } from '../running-application';

export type Lane = 'auto' | 'front' | 'route';

/** Questions to an application that others ask as well, and what they need of it. */
export interface Questions {
  readonly about: string;
  /** Compiled files to add, such as a probe's. */
  readonly files: Readonly<Record<string, string>>;
  readonly contentTypes: ReadonlyArray<string | ContentTypeConfig>;
  /** Global middlewares of the application's own, behind all of Strapi's. */
  readonly middlewares?: readonly string[];
  /** Declares the tests. The application is started before they run. */
  readonly ask: (application: Application, lane: Lane) => void;
}

/** One configuration of each content type, with the routes of all. Other options may be said once. */
const together = (all: readonly Questions[]): ContentTypeConfig[] => {
  const byType = new Map<string, ContentTypeConfig>();
  for (const given of all.flatMap(({ contentTypes }) => contentTypes)) {
    const { contentType, routes = [], ...options } = typeof given === 'string' ? { contentType: given } : given;
    const known = byType.get(contentType);
    const twice = Object.keys(options).find((name) => known !== undefined && name in known);
    if (twice !== undefined) throw new Error(`${twice} of ${contentType} is configured twice; configure its routes`);
    byType.set(contentType, { contentType, ...known, ...options, routes: [...(known?.routes ?? []), ...routes] });
  }
  return [...byType.values()];
};

/**
 * Asks all questions of one application, which has the lane.
 *
 * @param stack the source of Strapi's own global middlewares, in front of those of the questions.
 */
export const askTogether = (
  lane: Lane,
  strategy: StrategyConfig,
  all: readonly Questions[],
  stack = JSON.stringify(STACK).slice(1, -1),
): void => {
  const files: Record<string, string> = Object.assign({}, ...all.map((questions) => questions.files));
  const own = all.flatMap(({ middlewares = [] }) => middlewares).map((name) => `'${name}'`);
  if (own.length > 0) files['config/middlewares.js'] = `module.exports = [${[stack, ...own].join(', ')}];`;
  const application = runningApplication(files, { lane, ...strategy, contentTypes: together(all) });
  for (const { about, ask } of all) describe(about, () => ask(application, lane));
};
