import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createMarkdownRenderer } from 'vitepress';
import { describe, expect, it } from 'vitest';
import { named } from '../../../server/src/cache/sentence';
import { explained, warning, WARNING_CODES } from '../../../server/src/config/warning';
import { pages, ROOT } from './blocks';

/** The build of the site reports missing pages, but not missing headings. */

interface Heading {
  /** The anchor on the site. */
  readonly id: string;
  /** The anchor on GitHub and on the registry's page. */
  readonly slug: string;
}

const read = (page: string): string => readFileSync(path.join(ROOT, page), 'utf8');

const markdown = await createMarkdownRenderer(path.join(ROOT, 'docs'));

const headingsOf = (page: string): readonly Heading[] => {
  const tokens = markdown.parse(read(page), {});
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return [];
    const words = (tokens[index + 1]?.children ?? []).filter(({ type }) => type === 'text' || type === 'code_inline');
    const text = words.map(({ content }) => content).join('');
    const slug = text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    return [{ id: token.attrGet('id') ?? '', slug }];
  });
};

const headings = new Map(pages.map((page) => [page, headingsOf(page)]));

const withoutCode = (text: string): string => text.replace(/^ *```[\s\S]*?^ *```$/gm, '').replace(/`[^`\n]*`/g, '');

/** Every link to a heading, and the place that explains each warning. */
const links = pages
  .flatMap((page) =>
    [...withoutCode(read(page)).matchAll(/\]\(([^)\s#]*)#([^)\s]+)\)/g)]
      .filter(([, to = '']) => !/^[a-z]+:/.test(to))
      .map(([, to = '', anchor = '']) => ({
        page,
        anchor,
        to: to === '' ? page : path.join(path.dirname(page), to),
      })),
  )
  .concat(
    WARNING_CODES.map((code) => {
      const page = explained(warning(named(''), code)).explainedIn;
      const [to = '', anchor = ''] = page.replace('node_modules/strapi-plugin-response-cache/', '').split('#');
      return { page: `the warning ${code}`, to, anchor };
    }),
  );

const sidebar = [...read('docs/.vitepress/config.mjs').matchAll(/text: '([^']+)', link: '\/([\w/-]+)'/g)];

describe('links to headings', () => {
  it('are found in the pages', () => {
    expect(links).toContainEqual({
      page: 'README.md',
      to: 'docs/what-is-observed.md',
      anchor: 'what-is-observed',
    });
    expect(links).toContainEqual({ page: 'the warning redis-option', to: 'docs/redis.md', anchor: 'options' });
    expect(links.length).toBeGreaterThan(70);
  });

  it('lead to one, on the site and on GitHub', () => {
    const broken = links.filter(({ to, anchor }) => {
      const there = headings.get(to) ?? [];
      const isOnSite = !to.startsWith('docs/') || there.some(({ id }) => id === anchor);
      return !isOnSite || !there.some(({ slug }) => slug === anchor);
    });
    expect(broken).toEqual([]);
  });
});

/** A title, or the text of a link, as the name of a file: `What is observed` is `what-is-observed`. */
const asFileName = (title: string): string => title.toLowerCase().replaceAll(/[^a-z]+/g, '-');

describe('the sidebar', () => {
  it('names each page by its title', () => {
    const titles = sidebar.map(([, title, page]) => [page, title]);
    // Pages of another branch of work may be listed before they are there.
    const written = titles.filter(([page]) => pages.includes(`docs/${page}.md`));
    expect(written.length).toBeGreaterThan(30);
    expect(written).toEqual(written.map(([page]) => [page, /^# (.*)$/m.exec(read(`docs/${page}.md`))?.[1] ?? '']));
  });

  it('names each page for users by its file', () => {
    const forUsers = sidebar.filter(([, , page = '']) => !page.includes('/'));
    expect(forUsers.map(([, title = '']) => asFileName(title))).toEqual(forUsers.map(([, , page]) => page));
  });
});

it('every page of the documentation stands in the sidebar, but for those who maintain it', () => {
  const listed = sidebar.map(([, , page = '']) => `docs/${page}.md`);
  const maintainers = ['docs/index.md', 'docs/internals/release.md', 'docs/internals/marketplace.md'];
  const unlisted = pages.filter((page) => page.startsWith('docs/') && ![...listed, ...maintainers].includes(page));
  expect(unlisted).toEqual([]);
});
