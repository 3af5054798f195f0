import { createRequire } from 'node:module';
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
});

/**
 * Plain npm installs a copy of react-intl for the panel's plugins beside the one that Strapi's admin has. Its copies find
 * each other's context by `window`: were that to change, `useIntl` would find nothing in the panel.
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
