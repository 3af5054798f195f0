import { defineConfig } from 'vitepress';

/** The documentation as a site, ordered by what one wants to do. Links that lead nowhere fail the build. */
export default defineConfig({
  title: 'REST Cache for Strapi',
  description: 'A response cache for the Strapi 5 content API: fast, never stale, safe for authenticated traffic.',
  cleanUrls: true,
  // For whoever maintains the project: `../` leads out of the site.
  srcExclude: ['release.md', 'marketplace.md'],
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Configuration', link: '/configuration' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
    ],
    sidebar: [
      { text: 'Start', link: '/start' },
      {
        text: 'Guides',
        items: [
          { text: 'A public site', link: '/public-site' },
          { text: 'Signed-in users', link: '/authenticated-traffic' },
          { text: 'Several instances', link: '/redis' },
          { text: 'Custom and plugin routes', link: '/custom-routes' },
          { text: 'Drafts, previews and locales', link: '/drafts-and-locales' },
          { text: 'Browsers and CDNs', link: '/cdn' },
          { text: 'Purge CDNs and proxies', link: '/edge' },
          { text: 'Purge from CI and webhooks', link: '/purging' },
          { text: 'Imports and scripts', link: '/imports' },
          { text: 'What is observed, and what is not', link: '/deployment' },
          { text: 'Providers of your own', link: '/custom-providers' },
          { text: 'Going to production', link: '/production' },
        ],
      },
      { text: 'The admin panel', link: '/admin-panel' },
      {
        text: 'Moving over',
        items: [
          { text: 'plugin-rest-cache', link: '/migrating#from-plugin-rest-cache-5' },
          { text: 'strapi-cache', link: '/migrating#from-strapi-cache' },
          { text: 'plugin-rest-cache 4 (Strapi 4)', link: '/migrating#from-strapi-plugin-rest-cache-4-strapi-4' },
        ],
      },
      {
        text: 'Reference',
        items: [
          { text: 'Configuration', link: '/configuration' },
          { text: 'Options', link: '/options' },
          { text: 'Routes and services', link: '/api' },
          { text: 'HTTP', link: '/http' },
          { text: 'Metrics and events', link: '/observability' },
        ],
      },
      { text: 'Troubleshooting', link: '/troubleshooting' },
      {
        text: 'How it works',
        collapsed: true,
        items: [
          { text: 'Architecture', link: '/architecture' },
          { text: 'Freshness', link: '/freshness' },
          { text: 'Lanes', link: '/lanes' },
          { text: 'Strapi underneath', link: '/strapi-internals' },
          { text: 'Patches', link: '/internals/patches' },
          { text: 'Dependencies', link: '/dependencies' },
        ],
      },
      { text: 'Benchmarks', link: '/benchmarks' },
    ],
  },
});
