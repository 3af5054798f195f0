import path from 'node:path';
import { inspect } from 'node:util';
import type { ExplainedWarning } from '../server/src/config/warning';
import { PLACES } from '../server/src/lanes/lane-of-route';
import { COMMUNITY, OUTCOMES, PLUGIN_NAME } from './moves';
import type { OptionReport } from './option-report';
import type { Report, RouteReport } from './report';

const SHARING: Readonly<Record<RouteReport['sharing'], string>> = {
  public: 'requests without credentials',
  role: 'one cached response per role, per caller where code looks at who is asking',
  keyed: 'one cached response per caller',
  shared: 'ALL CALLERS SHARE ONE RESPONSE',
};

export const printReport = (report: Report): string =>
  [
    [
      `${path.basename(report.application.directory)} (Strapi ${report.application.strapi}, NODE_ENV=${report.application.environment})`,
    ],
    moving(report),
    section('Broken', bulleted(report.problems)),
    section('Unsafe', withPages(report.unsafe)),
    section(
      report.from === null ? `Options, if they were written for ${COMMUNITY.package}` : 'Options',
      report.options.flatMap(option),
    ),
    section('Write instead, in config/plugins', instead(report)),
    section(
      'Beside the options',
      report.beside.flatMap(({ there, here }) => [`- there: ${there}`, `    here: ${here}`]),
    ),
    section('Warnings', withPages(report.warnings)),
    section('Routes', routes(report)),
    section('Application code (source text only)', handlers(report)),
    section('Grants', grants(report)),
    section('Only at run time', bulleted(report.problems.length > 0 ? [] : AT_RUN_TIME)),
    [verdict(report)],
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];

const bulleted = (lines: readonly string[]): string[] => lines.map((line) => `- ${line}`);

const withPages = (warnings: readonly ExplainedWarning[]): string[] =>
  warnings.flatMap(({ text, explainedIn }) => [`- ${text}`, `    ${explainedIn}`]);

const moving = ({ from, packages }: Report): string[] => {
  if (from === null)
    return [
      `Read as a configuration of ${PLUGIN_NAME}. If it was written for another plugin, name that plugin with --from.`,
    ];
  return [
    `Read as a configuration of ${from}.`,
    ...(packages.length === 0 ? [] : [`  npm remove ${packages.join(' ')}`]),
  ];
};

/** A list in lines that a terminal shows whole. */
const inLines = (list: string): string[] => list.match(/.{1,96}(?:,|$)(?: |$)/g)?.map(indentedButFirst) ?? [list];

const indentedButFirst = (line: string, index: number): string => (index === 0 ? line : `    ${line}`).trimEnd();

const option = ({ options, outcome, there, here }: OptionReport): string[] => [
  ...inLines(`- ${OUTCOMES[outcome]}: ${options.join(', ')}`),
  ...(there === undefined ? [] : [`    there: ${there}`]),
  ...(here === undefined ? [] : [`    here: ${here}`]),
];

const instead = (report: Report): string[] =>
  report.instead === null
    ? []
    : inspect({ 'rest-cache': { enabled: true, config: report.instead } }, { depth: null, breakLength: 100 }).split(
        '\n',
      );

const routes = ({ lane, routes: all }: Report): string[] => {
  if (lane === null) return [];
  if (all.length === 0) return ['nothing is cached'];
  return [
    `hits are answered ${PLACES[lane.mode]}: ${lane.reason}`,
    ...(lane.advice === undefined ? [] : [`  what could be done: ${lane.advice}`]),
    ...all.flatMap(({ path: mounted, contentType, maxAge, sharing, lane: own, blockedBy, advice }) => [
      `- GET ${mounted}  (${contentType}, ${maxAge} ms, ${SHARING[sharing]}, answered ${PLACES[own]})`,
      ...(own === lane.mode || blockedBy === null ? [] : [`    answered on the route because of ${blockedBy}`]),
      ...(own === lane.mode || advice === null ? [] : [`    what could be done: ${advice}`]),
    ]),
    ...(all.some(({ sharing }) => sharing === 'keyed') ? BY_ROLE : []),
  ];
};

const BY_ROLE = [
  "one cached response per caller: keys: { useAuth: 'role' } lets users of a role share responses instead, except those",
  '  whose code looks at who is asking. Use it where many users read the same pages',
];

const handlers = ({ handlers: all }: Report): string[] =>
  all.flatMap(({ path: mounted, who, reads, unobserved, unknown }) => [
    `- ${mounted === undefined ? 'all cached routes' : `GET ${mounted}`}, ${who}`,
    ...(reads.length === 0
      ? []
      : [
          `    reads ${reads.join(', ')} of the request, so its responses are not stored until keys.useHeaders or ` +
            'keys.ignoreHeaders lists that',
        ]),
    ...(unobserved.length === 0
      ? []
      : [
          `    may answer from ${unobserved.join(', ')}, whose changes no write shows: such responses are served until maxAge has passed`,
        ]),
    ...(unknown === undefined ? [] : [`    could not be examined: ${unknown}`]),
  ]);

const grants = ({ grants: missing, grantsUnknown, problems }: Report): string[] => {
  if (problems.length > 0) return [];
  if (missing === null)
    return [`the database could not be asked (${grantsUnknown ?? ''}): run this again where it can be`];
  return missing.length === 0 ? ['nothing to be done'] : bulleted(missing);
};

const AT_RUN_TIME = [
  'middlewares and routes that register() or bootstrap() adds, yours or a plugin\'s: see the lines "hits are answered …" in the boot log',
  "reads that a handler's source text does not show: see X-Cache, Cache-Status, the log, and Explain in the panel",
];

const verdict = ({ problems, unsafe }: Report): string => {
  if (problems.length > 0) return 'The configuration cannot be used (exit code 2).';
  return unsafe.length > 0 ? 'Unsafe (exit code 1).' : 'Nothing unsafe was found. Nothing was changed.';
};
