import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createMarkdownRenderer } from 'vitepress';
import { describe, expect, it } from 'vitest';
import { explained, WARNING_CODES } from '../../../server/src/config/warning';
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
      const page = explained({ code, text: '' }).explainedIn;
      const [to = '', anchor = ''] = page.replace('node_modules/strapi-plugin-response-cache/', '').split('#');
      return { page: `the warning ${code}`, to, anchor };
    }),
  );

const sidebar = [...read('docs/.vitepress/config.mjs').matchAll(/link: '\/([\w/-]+)(?:#([^']+))?'/g)];

describe('links to headings', () => {
  it('are found in the pages', () => {
    expect(links).toContainEqual({
      page: 'README.md',
      to: 'docs/deployment.md',
      anchor: 'what-is-observed-and-what-is-not',
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

  it('lead to one from the sidebar, too', () => {
    const anchored = sidebar.filter(([, , anchor]) => anchor !== undefined);
    expect(anchored.length).toBeGreaterThan(0);
    const broken = anchored.filter(
      ([, page = '', anchor]) => headings.get(`docs/${page}.md`)?.some(({ id }) => id === anchor) !== true,
    );
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

it('every page of the documentation stands in the sidebar, but for those who maintain it', () => {
  const listed = sidebar.map(([, page = '']) => `docs/${page}.md`);
  const maintainers = ['docs/index.md', 'docs/release.md', 'docs/marketplace.md'];
  const unlisted = pages.filter((page) => page.startsWith('docs/') && ![...listed, ...maintainers].includes(page));
  expect(unlisted).toEqual([]);
});
