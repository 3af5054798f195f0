import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';

const exists = ({ link }) => existsSync(new URL(`..${link}.md`, import.meta.url));

/** The documentation as a site. Links that lead nowhere fail the build. */
export default defineConfig({
  title: 'REST Cache for Strapi',
  description: 'A response cache for the Strapi 5 content API: fast, never stale, safe for authenticated traffic.',
  cleanUrls: true,
  // For whoever maintains the project: `../` leads out of the site.
  srcExclude: ['internals/release.md', 'internals/marketplace.md'],
  // Files to copy, not pages.
  ignoreDeadLinks: [/examples\//],
  buildEnd: ({ srcDir, outDir }) =>
    cpSync(path.join(srcDir, 'examples'), path.join(outDir, 'examples'), { recursive: true }),
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Options', link: '/options' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
    ],
    sidebar: [
      {
        text: 'Guides',
        items: [
          { text: 'Start', link: '/start' },
          { text: 'Public site', link: '/public-site' },
          { text: 'Signed-in users', link: '/signed-in-users' },
          { text: 'GraphQL', link: '/graphql' },
          { text: 'Your own code', link: '/your-own-code' },
          { text: 'Where hits are answered', link: '/where-hits-are-answered' },
          { text: 'No cold pages', link: '/no-cold-pages' },
          { text: 'Redis', link: '/redis' },
          { text: 'What is observed', link: '/what-is-observed' },
          { text: 'Purging', link: '/purging' },
          { text: 'CDNs and proxies', link: '/cdns-and-proxies' },
          { text: 'Production', link: '/production' },
        ],
      },
      { text: 'Admin panel', link: '/admin-panel' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
      {
        text: 'Decide and move',
        items: [
          { text: 'Comparison', link: '/comparison' },
          { text: 'Costs', link: '/costs' },
          { text: 'Migrating', link: '/migrating' },
          { text: 'Upgrade', link: '/upgrade' },
        ],
      },
      {
        text: 'Reference',
        items: [
          { text: 'Options', link: '/options' },
          { text: 'Configuration', link: '/configuration' },
          { text: 'Routes and services', link: '/routes-and-services' },
          { text: 'HTTP', link: '/http' },
          { text: 'Metrics', link: '/metrics' },
          { text: 'Webhook', link: '/webhook' },
          { text: 'Freshness', link: '/freshness' },
          { text: 'Custom providers', link: '/custom-providers' },
          { text: 'Glossary', link: '/glossary' },
        ],
      },
      {
        text: 'Internals',
        collapsed: true,
        items: [
          { text: 'Architecture', link: '/internals/architecture' },
          { text: 'Freshness inside', link: '/internals/freshness' },
          { text: 'Lanes', link: '/internals/lanes' },
          { text: 'Redis inside', link: '/internals/redis' },
          { text: 'The edge inside', link: '/internals/edge' },
          { text: 'The panel inside', link: '/internals/panel' },
          { text: 'Strapi inside', link: '/internals/strapi' },
          { text: 'Patches and private properties', link: '/internals/patches' },
          { text: 'Testing', link: '/internals/testing' },
          { text: 'Benchmarks', link: '/internals/benchmarks' },
          { text: 'Dependencies', link: '/internals/dependencies' },
        ].filter(exists),
      },
    ],
  },
});
