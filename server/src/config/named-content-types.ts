import { defaultRoutesOf, type ApplicationFacts } from './application-facts';
import { formatOptionPath, type OptionPath } from './configuration-error';
import type { Findings } from './warning';
import { likelyContentType } from './likely-content-type';
import type { ParsedContentType } from './schema';
import { EVERY, NOT } from './user-config';

/** A content type to cache, and where the configuration names it. */
export interface NamedContentType {
  readonly written: ParsedContentType;
  readonly where: OptionPath;
}

/** The content types that the configuration names. */
export interface NamedContentTypes {
  readonly byUid: readonly NamedContentType[];
  /** Content types that only `'*'` stands for: an element for a single type takes precedence. */
  readonly byEvery: readonly NamedContentType[];
}

/** The application's own content types with default routes. Those of plugins have to be named. */
export const everyOwn = (application: ApplicationFacts): readonly string[] =>
  Object.keys(application.contentTypes).filter(
    (uid) => uid.startsWith('api::') && defaultRoutesOf(uid, application).length > 0,
  );

/** Finds out which content types the list stands for. Reports names that are unknown or occur twice. */
export const namedContentTypes = (
  list: readonly ParsedContentType[],
  application: ApplicationFacts,
  findings: Findings,
): NamedContentTypes => {
  const seen = new Map<string, OptionPath>();
  const byUid: NamedContentType[] = [];
  const excluded = new Map<string, OptionPath>();
  let every: OptionPath | undefined;

  const isBare = ({ contentType, ...settings }: ParsedContentType, where: OptionPath): boolean => {
    const [setting] = Object.keys(settings);
    if (setting !== undefined)
      findings.problems.push(
        `${formatOptionPath([...where, setting])} does not belong beside "${contentType}"; write what holds for all under ` +
          'strategy, and what holds for one content type beside its uid.',
      );
    return setting === undefined;
  };

  const isFirst = (name: string, where: OptionPath): boolean => {
    const twin = seen.get(name);
    if (twin === undefined) seen.set(name, where);
    else
      findings.problems.push(
        `${formatOptionPath(where)}: "${name}" is named already at ${formatOptionPath(twin)}; keep one of them.`,
      );
    return twin === undefined;
  };

  const isKnown = (uid: string, sign: string, where: OptionPath): boolean => {
    if (Object.hasOwn(application.contentTypes, uid)) return true;
    const likely = likelyContentType(uid, application);
    const text =
      `${formatOptionPath(where)}: "${uid}" is not a content type of this application` +
      (likely === undefined ? '.' : `; did you mean "${sign}${likely}"?`);
    if (application.isBeingDeveloped === true) findings.warn('unknown-content-type', text);
    else findings.problems.push(text);
    return false;
  };

  list.forEach((written, index) => {
    const where = ['strategy', 'contentTypes', index];
    const { contentType: name } = written;
    const isOne = name !== EVERY && !name.startsWith(NOT);
    if (!isOne && !isBare(written, where)) return;
    const sign = name.startsWith(NOT) ? NOT : '';
    const uid = name.slice(sign.length);
    if (name !== EVERY && !isKnown(uid, sign, where)) return;
    if (!isFirst(uid, where)) return;
    if (name === EVERY) every = where;
    else if (isOne) byUid.push({ written, where });
    else excluded.set(uid, where);
  });

  const own = everyOwn(application);
  for (const [uid, where] of excluded)
    if (every === undefined || !own.includes(uid))
      findings.warn(
        'every-content-type',
        `${formatOptionPath(where)}: "${NOT}${uid}" has no effect: there is no "${EVERY}" beside it that stands for it.`,
      );
  if (every !== undefined && own.length === 0)
    findings.warn(
      'every-content-type',
      `${formatOptionPath(every)}: "${EVERY}" found no content type with a route that could be cached.`,
    );

  const byEvery = own.flatMap((uid) =>
    every === undefined || seen.has(uid) ? [] : [{ written: { contentType: uid }, where: every }],
  );
  return { byUid, byEvery };
};
