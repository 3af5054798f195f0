import { createRequire } from 'node:module';
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
});

/**
 * Plain npm installs one copy of react-intl for the panel's plugins and another one for Strapi's admin. The copies find
 * each other's context through `window`. If that changed, `useIntl` would find no context in the panel.
 */
it('two copies of react-intl share one context', () => {
  vi.stubGlobal('window', {});
  const require = createRequire(import.meta.url);
  const load = (): { IntlContext: unknown } => {
    for (const path of Object.keys(require.cache)) if (path.includes('/react-intl/')) delete require.cache[path];
    return require('react-intl') as { IntlContext: unknown };
  };
  const [one, other] = [load(), load()];
  expect(one).not.toBe(other);
  expect(one.IntlContext).toBeDefined();
  expect(one.IntlContext).toBe(other.IntlContext);
});
