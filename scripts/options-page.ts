/**
 * Writes docs/options.md, the list of every option, from the types and comments in server/src/config. An editor shows
 * the same comments.
 *
 *   npx tsx scripts/options-page.ts
 */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(import.meta.dirname, '..');
export const OPTIONS_PAGE = path.join(ROOT, 'docs/options.md');

/** Sections without an introduction: their heading, or the option that leads to them, says the same. */
const WITHOUT_INTRODUCTION: ReadonlySet<string> = new Set([
  'Content type',
  'Route',
  ...['provider', 'strategy', 'localCache', 'keys', 'stale', 'warm', 'audit', 'cacheControl', 'edge', 'metrics'].map(
    (option) => `\`${option}\``,
  ),
]);

/** The sections in the order of the page: a heading, and the interfaces whose members are listed below it. */
const SECTIONS: ReadonlyArray<[heading: string, ...interfaces: string[]]> = [
  ['`provider`', 'NamedProviderConfig', 'AnyProviderConfig', 'GivenProviderConfig'],
  ['`provider.options` of `memory`', 'MemoryOptions'],
  ['`provider.options` of `redis`', 'RedisOptions'],
  ['`localCache`', 'LocalCacheOptions'],
  ['`strategy`', 'StrategyConfig'],
  ['Content type', 'ContentTypeConfig'],
  ['Route', 'RouteConfig'],
  ['Settings of every level', 'SettingsConfig'],
  ['`keys`', 'KeysConfig'],
  ['`stale`', 'StaleConfig'],
  ['`warm`', 'WarmConfig'],
  ['`audit`', 'AuditConfig'],
  ['`graphql`', 'GraphqlConfig'],
  ['`cacheControl`', 'CacheControlConfig'],
  ['`edge`', 'EdgeConfig'],
  ['`metrics`', 'MetricsConfig'],
];

/** How the page writes a type whose source text means nothing to a reader. */
const SHOWN: ReadonlyArray<[type: RegExp, shown: string]> = [
  [/\s+/g, ' '],
  [/\breadonly /g, ''],
  [/\bHitpass\b/g, 'boolean or function'],
  [/ReadonlyArray<typeof EVERY.*>/, 'list of [content types](#content-type)'],
  [/ReadonlyArray<KeptStatus \| StatusConfig>/, 'list'],
  [/typeof EVERY/, "'*'"],
  [/ReadonlyArray<RoutePath \| RouteConfig>/, 'list of paths and [routes](#route)'],
  [/^(ContentTypeUid|RoutePath|Name)$/, 'string'],
  [/RouteMethod/, "'GET'"],
  [/GraphqlKeysConfig/, '`{ useAuth, useHeaders }` of [keys](#keys)'],
  [/GraphqlConfig/, '[graphql](#graphql)'],
  [/KeysConfig/, '[keys](#keys)'],
  [/StaleConfig/, '[stale](#stale)'],
  [/WarmConfig/, '[warm](#warm)'],
  [/AuditConfig/, '[audit](#audit)'],
  [/^readonly string\[\] \| \(\(\) => .*$|^string\[\] \| \(\(\) => .*$/, 'strings or function'],
  [/CacheControlConfig/, '[cacheControl](#cachecontrol)'],
  [/EdgeConfig/, '[edge](#edge)'],
  [/readonly EdgeTargetConfig\[\]|EdgeTargetConfig\[\]/, 'list of [targets](cdns-and-proxies.md#targets)'],
  [/Partial<LocalCacheOptions>/, '[localCache](#localcache)'],
  [/Provider \| ProviderFactory/, 'provider or function'],
  [/OptionsOf<.*>|Readonly<Record<.*>>/, 'object'],
  [/^string \| ConnectionOptions \| Redis \| Cluster$/, 'string or object'],
  [/^\{ nodes.*\}$/, '`{ nodes, options }`'],
  [/\bstring\[\]/, 'strings'],
  [/'[^']*'|\b(?:false|null)\b/g, '`$&`'],
  [/ \| /g, ' or '],
];

const UNITS: ReadonlyArray<[meaning: RegExp, unit: string]> = [
  [/milliseconds/i, 'ms'],
  [/^(Entries|Cached responses) /, 'responses'],
  [/^Bytes/, 'bytes'],
];

/** The type says this as well. */
const UNIT_IN_TEXT = /: milliseconds(?:, (?:more than 0|0 or greater|0 or more))?(?=[.;])/;

const interfaces = new Map(
  [
    'user-config.ts',
    'background-config.ts',
    'graphql-config.ts',
    'keys-config.ts',
    'provider-config.ts',
    'edge-config.ts',
    'provider-options.ts',
  ]
    .map((name) => path.join(ROOT, 'server/src/config', name))
    .flatMap((file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true).statements)
    .filter(ts.isInterfaceDeclaration)
    .map((declaration) => [declaration.name.text, declaration]),
);

const textOf = (comment: Parameters<typeof ts.getTextOfJSDocComment>[0]): string =>
  (ts.getTextOfJSDocComment(comment) ?? '').replace(/\s*\n\s*/g, ' ');

const commentOf = (node: ts.Node): string => {
  const comment = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc);
  return textOf(comment?.comment);
};

/**
 * The tags of a declaration by name. The source text is read, because TypeScript parses the first word after `@see` as
 * a name and leaves it out of the tag's comment (`@see docs/redis.md#…`).
 */
const tagsOf = (node: ts.Node): ReadonlyMap<string, string> =>
  new Map(ts.getJSDocTags(node).map((tag) => [tag.tagName.text, tag.getText().replace(/^@\w+\s*|\s*\*?\s*$/g, '')]));

const typeOf = (type: string, meaning: string): string => {
  const unit = UNITS.find(([words]) => words.test(meaning))?.[1];
  return SHOWN.reduce((written, [name, shown]) => written.replace(name, shown), type).replace(
    /\bnumber\b/,
    unit === undefined ? 'number' : `number (${unit})`,
  );
};

/** Said once, above the table: a level that leaves an option out inherits it. */
const INHERITED = / on the strategy, elsewhere the value of the level above$/;

/** No default of its own: there is none, or the section of the option's type says it. */
const NO_DEFAULT = /^(?:none$|those of its options|that of the strategy$)/;

/** `, default …`; empty if there is none. */
const defaultOf = (written: string | undefined): string => {
  if (written === undefined) return ', required';
  if (NO_DEFAULT.test(written)) return '';
  const shown = written.replace(/^('[^']*'|true|false|null|\d[\d.]*|\[.*\]|\{.*\})/, '`$1`');
  return `, default ${shown.replace(INHERITED, '')}`;
};

const itemOf = (option: ts.PropertySignature): string => {
  const tags = tagsOf(option);
  const meaning = commentOf(option);
  const shown = meaning.replace(UNIT_IN_TEXT, '');
  const more = tags.has('see') ? ` [More](${tags.get('see')?.replace('docs/', '')})` : '';
  const type = typeOf(option.type?.getText() ?? '', meaning);
  return `- **\`${option.name.getText()}\`**: ${type}${defaultOf(tags.get('default'))}. ${shown}${more}`;
};

const sectionOf = ([heading, ...names]: (typeof SECTIONS)[number]): string => {
  const declarations = names.map((name) => interfaces.get(name)).filter((found) => found !== undefined);
  if (declarations.length < names.length) throw new Error(`One of these interfaces is gone: ${names.join(', ')}`);
  const options = declarations
    .flatMap(({ members }) => [...members])
    .filter(ts.isPropertySignature)
    .filter((option) => !tagsOf(option).has('deprecated'))
    // `name` and `instance` exclude each other, so each is also declared as `undefined` in the other's interface.
    .filter(({ type }) => type?.getText() !== 'undefined')
    .filter(({ name }, index, all) => all.findIndex((other) => other.name.getText() === name.getText()) === index);
  const hasSettings = declarations.some(({ heritageClauses }) => heritageClauses?.[0]?.getText().includes('Settings'));
  const introduction = [
    ...(WITHOUT_INTRODUCTION.has(heading) ? [] : declarations.slice(0, 1)).map((declaration) =>
      commentOf(declaration).replace(`${heading}. `, ''),
    ),
    ...(hasSettings ? ['Takes the [settings of every level](#settings-of-every-level), too.'] : []),
  ].join(' ');
  return `## ${heading}

${introduction === '' ? '' : `${introduction}\n\n`}${options.map(itemOf).join('\n')}`;
};

/** The whole page. */
export const optionsPage = (): string => `# Options

Every option of \`rest-cache.config\` that has an effect. [Configuration](configuration.md) explains levels, errors and warnings,
[Migrating](migrating.md) options of other plugins.

${SECTIONS.map(sectionOf).join('\n\n')}
`;

if (process.argv[1] === import.meta.filename) writeFileSync(OPTIONS_PAGE, optionsPage());
