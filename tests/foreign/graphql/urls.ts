import type { Core } from '@strapi/strapi';
import type { Url } from '../urls';
import { operationsOfApplication } from './of-application';
import { operationsOfSchema } from './of-schema';

/**
 * The application's reads by GraphQL, each with what the cache is expected to do with it.
 *
 * @param isRepeatable whether policies and middlewares of fields are declared repeatable.
 */
export const graphqlUrls = async (strapi: Core.Strapi, isRepeatable: boolean): Promise<readonly Url[]> => [
  ...(await operationsOfSchema(strapi)),
  ...operationsOfApplication(isRepeatable),
];
