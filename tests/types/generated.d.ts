// Like the file that Strapi writes for an application, types/generated/contentTypes.d.ts.
import type { Schema, Struct } from '@strapi/strapi';

export interface ApiArticleArticle extends Struct.CollectionTypeSchema {
  collectionName: 'articles';
  info: { displayName: 'Article'; pluralName: 'articles'; singularName: 'article' };
  attributes: { title: Schema.Attribute.String };
}

export interface ApiHomepageHomepage extends Struct.SingleTypeSchema {
  collectionName: 'homepages';
  info: { displayName: 'Homepage'; pluralName: 'homepages'; singularName: 'homepage' };
  attributes: { title: Schema.Attribute.String };
}

export interface PluginUploadFile extends Struct.CollectionTypeSchema {
  collectionName: 'files';
  info: { displayName: 'File'; pluralName: 'files'; singularName: 'file' };
  attributes: { name: Schema.Attribute.String };
}

declare module '@strapi/strapi' {
  export namespace Public {
    export interface ContentTypeSchemas {
      'api::article.article': ApiArticleArticle;
      'api::homepage.homepage': ApiHomepageHomepage;
      'plugin::upload.file': PluginUploadFile;
    }
  }
}
