import type { Core } from '@strapi/strapi';

/** The parts of winston that a line of the request log passes. */
interface Transport {
  readonly name?: string;
  readonly eol?: string;
  readonly silent?: boolean;
  readonly level?: string;
  readonly format?: unknown;
  readonly stderrLevels?: Readonly<Record<string, boolean>>;
  readonly consoleWarnLevels?: Readonly<Record<string, boolean>>;
  listenerCount(event: string): number;
}

interface Logger {
  http(line: string): unknown;
  readonly silent?: boolean;
  readonly transports: readonly Transport[];
  readonly format: { transform(info: object, options: unknown): unknown; readonly options?: unknown };
  isLevelEnabled(level: string): boolean;
  listenerCount(event: string): number;
}

interface LineOfOneMoment {
  readonly at: number;
  readonly before: string;
  readonly after: string;
}

const LEVEL = Symbol.for('level');
const MESSAGE = Symbol.for('message');
const PLACE = '\u0000';

/**
 * Recognises the logger that Strapi builds by default: one console transport that takes every level, and no listeners.
 * Such a logger formats a line and writes it to the standard output at once.
 *
 * @returns what ends the logger's lines; `undefined` for any other logger.
 */
const lineEndOfDefault = (log: Logger): string | undefined => {
  const [transport, ...others] = log.transports;
  if (transport === undefined || others.length > 0) return undefined;
  const isDefault =
    // Winston's methods are on its prototypes. A method on the object itself replaces one of them.
    !Object.hasOwn(log, 'http') &&
    !Object.hasOwn(transport, 'log') &&
    log.silent !== true &&
    transport.silent !== true &&
    transport.name === 'console' &&
    transport.level === undefined &&
    transport.format === undefined &&
    transport.stderrLevels?.http !== true &&
    transport.consoleWarnLevels?.http !== true &&
    transport.listenerCount('logged') === 0 &&
    // The transport listens to this event itself.
    log.listenerCount('data') <= 1 &&
    log.isLevelEnabled('http');
  return isDefault ? transport.eol : undefined;
};

/**
 * Returns a function that writes the lines of `strapi::logger`. If the application's logger is Strapi's default, its
 * format is applied once a millisecond, and each line is one write, without winston's streams: these take a third of
 * the time of a whole hit. Any other logger, or one that was changed or has listeners, gets each line through
 * `strapi.log.http` as always.
 */
export const requestLog = (strapi: Core.Strapi): ((line: string) => void) => {
  const log = strapi.log as unknown as Logger;
  const plain = (line: string): void => void log.http(line);
  const { format } = log;
  const configured: unknown = strapi.config.get('logger') ?? strapi.config.get('server.logger.config');
  const stdout = (console as { _stdout?: NodeJS.WriteStream })._stdout;
  if (stdout === undefined || configured !== undefined || lineEndOfDefault(log) === undefined) return plain;

  let moment: LineOfOneMoment | undefined;
  const surroundings = (): LineOfOneMoment | undefined => {
    const at = Date.now();
    if (moment?.at === at) return moment;
    const info = format.transform({ level: 'http', message: PLACE, [LEVEL]: 'http' }, format.options) as
      | { [MESSAGE]?: string }
      | false;
    const [before, after, more] = info === false ? [] : String(info[MESSAGE] ?? '').split(PLACE);
    moment = before === undefined || after === undefined || more !== undefined ? undefined : { at, before, after };
    return moment;
  };
  return (line) => {
    const lineEnd = log.format === format ? lineEndOfDefault(log) : undefined;
    const around = lineEnd === undefined ? undefined : surroundings();
    if (around === undefined) plain(line);
    else stdout.write(`${around.before}${line}${around.after}${lineEnd}`);
  };
};
