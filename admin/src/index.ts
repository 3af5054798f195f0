import { Server } from '@strapi/icons';
import type { StrapiApp } from '@strapi/strapi/admin';
import { CachePanel } from './content-manager/cache-panel';
import { PurgeDocumentAction } from './content-manager/purge-document-action';
import { PurgeDocumentsAction } from './content-manager/purge-documents-action';
import { PurgeTypeButton } from './content-manager/purge-type-button';
import { READ_STRATEGY } from './permissions';
import { PLUGIN_ID, SETTINGS_PATH } from './plugin-id';

/** The part of the content manager's plugin API that is used here. */
interface ContentManagerApis {
  addEditViewSidePanel(panels: unknown[]): void;
  addDocumentAction(actions: unknown[]): void;
  addBulkAction(actions: unknown[]): void;
}

const name = { id: `${PLUGIN_ID}.name`, defaultMessage: 'REST Cache' };

export default {
  register(app: StrapiApp): void {
    app.registerPlugin({ id: PLUGIN_ID, name: PLUGIN_ID });
    app.addSettingsLink('global', {
      id: PLUGIN_ID,
      to: PLUGIN_ID,
      intlLabel: name,
      permissions: READ_STRATEGY,
      Component: () => import('./pages/settings-page').then(({ SettingsPage }) => ({ default: SettingsPage })),
    });
    // Home page widgets came with Strapi 5.13.
    app.widgets?.register({
      id: 'overview',
      pluginId: PLUGIN_ID,
      icon: Server,
      title: name,
      link: { label: { id: `${PLUGIN_ID}.widget.link`, defaultMessage: 'Open REST Cache' }, href: SETTINGS_PATH },
      component: () => import('./widget/cache-widget').then(({ CacheWidget }) => CacheWidget),
      permissions: READ_STRATEGY,
    });
  },

  bootstrap(app: StrapiApp): void {
    const contentManager = app.getPlugin('content-manager');
    contentManager?.injectComponent('listView', 'actions', {
      name: 'rest-cache-purge-type',
      Component: PurgeTypeButton,
    });
    const apis = contentManager?.apis as unknown as ContentManagerApis | undefined;
    apis?.addEditViewSidePanel([CachePanel]);
    apis?.addDocumentAction([PurgeDocumentAction]);
    apis?.addBulkAction([PurgeDocumentsAction]);
  },

  async registerTrads({ locales }: { locales: string[] }) {
    return Promise.all(
      locales.map(async (locale) => {
        const words = await load(locale);
        return {
          locale,
          data: Object.fromEntries(Object.entries(words).map(([id, text]) => [`${PLUGIN_ID}.${id}`, text])),
        };
      }),
    );
  },
};

/** The translations of a locale. For locales without any, the panel falls back to English. */
const load = async (locale: string): Promise<Record<string, string>> => {
  switch (locale) {
    case 'en':
      return (await import('./translations/en.json')).default;
    case 'fr':
      return (await import('./translations/fr.json')).default;
    case 'de':
      return (await import('./translations/de.json')).default;
    case 'es':
      return (await import('./translations/es.json')).default;
    default:
      return {};
  }
};
