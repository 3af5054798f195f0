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

type Texts = Readonly<Record<string, string>>;

/** A file of translations, as a module. */
type File = Promise<{ readonly default: Texts }>;

/** The translations of a locale. For locales without any, the panel falls back to English. */
const load = (locale: string): Promise<Texts> | Texts => {
  switch (locale) {
    case 'en':
      return textsOf(import('./translations/en.json'));
    case 'fr':
      return textsOf(import('./translations/fr.json'), import('./translations/sentences.fr.json'));
    case 'de':
      return textsOf(import('./translations/de.json'), import('./translations/sentences.de.json'));
    case 'es':
      return textsOf(import('./translations/es.json'), import('./translations/sentences.es.json'));
    default:
      return {};
  }
};

/** @param sentences those of the server, by their codes. In English, the panel shows them as the server says them. */
const textsOf = async (words: File, sentences?: File): Promise<Texts> => {
  const said = Object.entries((await sentences)?.default ?? {}).map(([code, text]) => [`said.${code}`, text] as const);
  return { ...(await words).default, ...Object.fromEntries(said) };
};
