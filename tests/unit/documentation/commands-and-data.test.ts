import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { purgeRequest } from '../../../server/src/admin-api/purge';
import { blocks, blocksIn, ROOT } from './blocks';

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly name: string;
}
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Manifest;
const projects = readFileSync(path.join(ROOT, 'vitest.config.ts'), 'utf8');
const routes = ['routes-and-services.md', 'purging.md', 'metrics.md', 'internals/panel.md']
  .map((page) => path.join(ROOT, 'docs', page))
  .map((page) => readFileSync(page, 'utf8'))
  .join('\n');

/** Blocks that this test does not run, and why. */
const NOT_RUN: ReadonlyArray<[beginning: RegExp, reason: string]> = [
  [/^\[rest-cache\]/, 'what the boot logs'],
  [/^The configuration of "rest-cache"/, 'what the boot says when it stops'],
  [/^<path>\?<query>/, 'the grammar of a key'],
  [/^\/api\/products\?&;/, 'a key'],
  [/^if \(std\.ban\(/, 'tests/edge/varnish.ts runs it'],
  [/^sum\(rate\(/, 'a query of Prometheus, of metrics whose names are checked below'],
  [/[│─]/, 'a drawing'],
  [/^server\/src\/\n/, 'the folders; tests/unit/documented-paths.test.ts reads the files'],
];

/** Throws if the route would respond with 400. */
const purge = (body: string) => purgeRequest(JSON.parse(body), new Map([['api::article.article', new Set(['id'])]]));

const commandsOf = (code: string, isConsole: boolean): string[] =>
  code
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => (isConsole ? line.startsWith('$ ') : line.trim() !== '' && !/^\s*#/.test(line)))
    .map((line) => line.replace(/^\$ /, '').replace(/\s+# .*/, ''))
    .flatMap((line) => line.trim().split(' && '));

const commands = blocksIn('sh', 'console').flatMap(({ place, language, code }) =>
  commandsOf(code, language === 'console').map((command) => ({ place, command })),
);

/** The mistake in a command; `undefined` if it is right. */
const mistakeIn = (command: string): string | undefined => {
  const [, script] = /^npm run ([\w:]+)/.exec(command) ?? [];
  if (script !== undefined) return script in manifest.scripts ? undefined : `no script "${script}"`;
  if (/^npm (ci|test)$/.test(command) || command === `npm install ${manifest.name}`) return undefined;
  if (/^(git clone|cd) \S+$/.test(command)) return undefined;
  // tests/integration/moving-over.test.ts runs this command.
  if (command.startsWith('perl ')) return undefined;

  const [, file] = /^node (\S+)/.exec(command) ?? [];
  if (file !== undefined) return existsSync(path.join(ROOT, file)) ? undefined : `no file ${file}`;
  const [, program = '', given = ''] = /^(?:\w+=\S+ )?npx (\S+)(.*)$/.exec(command) ?? [];
  if (program === manifest.name) return program in manifest.bin && given === ' check' ? undefined : 'no such command';
  if (program === 'tsx') return existsSync(path.join(ROOT, given.trim())) ? undefined : `no file ${given.trim()}`;
  if (program === 'vitest') {
    const [, project = '', tests] = /--project (\S+)(?: (\S+))?/.exec(given) ?? [];
    if (!projects.includes(`name: '${project}'`)) return `no project "${project}"`;
    return tests === undefined || existsSync(path.join(ROOT, tests)) ? undefined : `no file ${tests}`;
  }

  if (!command.startsWith('curl ')) return 'not known to this test';
  const [, method = 'GET'] = /-X (\w+)/.exec(command) ?? [];
  const [, asked = ''] = /https?:\/\/[^/\s"']+(\/[^\s"'?]*)/.exec(command) ?? [];
  const isContent = /^\/api\/(articles|orders)(\/|$)/.test(asked);
  if (!isContent && !routes.includes(`${method} ${asked}`)) return `${method} ${asked} is not documented`;
  const [, body] = /-d '([^']*)'/.exec(command) ?? [];
  if (body !== undefined) purge(body);
  return undefined;
};

describe('in the documentation', () => {
  it.each(commands)('$place: $command can be given', ({ command }) => {
    expect(mistakeIn(command)).toBeUndefined();
  });

  it.each(blocksIn('json'))('$place: the body of a purge is accepted', ({ code }) => {
    expect(purge(code).contentType).toBe('api::article.article');
  });

  it.each(blocksIn('yaml'))('$place: YAML is YAML', ({ code }) => {
    expect(parse(code)).toBeTypeOf('object');
  });

  it('nothing but samples of what is shown goes untested', () => {
    const others = blocks.filter(({ language }) => !/^(ts|js|json|yaml|sh|console)$/.test(language));
    const unnamed = others.filter(({ code }) => !NOT_RUN.some(([beginning]) => beginning.test(code)));
    expect(unnamed).toEqual([]);
    expect(commands.length).toBeGreaterThan(15);
  });
});

describe('metrics of Prometheus', () => {
  const source = readFileSync(path.join(ROOT, 'server/src/monitor/prometheus.ts'), 'utf8');
  const exposed = new Set([...source.matchAll(/'(rest_cache_\w+)'/g)].map(([, name]) => name));
  const namesIn = (text: string) => [...text.matchAll(/\brest_cache_\w+/g)].map(([name]) => name);
  const example = (name: string): string => readFileSync(path.join(ROOT, 'docs/examples', name), 'utf8');

  it.each(['docs/metrics.md', ...readdirSync(path.join(ROOT, 'docs/examples')).map((name) => `docs/examples/${name}`)])(
    'that %s names are exposed',
    (file) => {
      const named = namesIn(readFileSync(path.join(ROOT, file), 'utf8'));
      expect(named.filter((name) => !exposed.has(name))).toEqual([]);
    },
  );

  it('are all documented', () => {
    const documented = new Set(namesIn(readFileSync(path.join(ROOT, 'docs/metrics.md'), 'utf8')));
    expect(exposed.size).toBeGreaterThan(10);
    expect([...exposed].filter((name = '') => !documented.has(name))).toEqual([]);
  });

  it('the alert rules are rules with an expression and a summary each', () => {
    const { groups } = parse(example('prometheus-alerts.yml')) as {
      groups: Array<{ rules: Array<{ alert: string; expr: string; annotations: { summary: string } }> }>;
    };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(3);
    for (const { alert, expr, annotations } of rules)
      expect([alert, expr, annotations.summary]).toEqual([
        expect.stringMatching(/^RestCache\w+$/),
        expect.stringContaining('rest_cache_'),
        expect.stringMatching(/\w/),
      ]);
  });

  it('the board shows them in panels that do not overlap', () => {
    const { panels } = JSON.parse(example('grafana-dashboard.json')) as {
      panels: Array<{ id: number; targets: Array<{ expr: string }>; gridPos: Record<'x' | 'y' | 'w' | 'h', number> }>;
    };
    expect(panels.flatMap(({ targets }) => targets).every(({ expr }) => expr.includes('rest_cache_'))).toBe(true);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}:${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});
