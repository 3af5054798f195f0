import type { Core } from '@strapi/strapi';
import { Boot } from './plugin/boot';

export default ({ strapi }: { strapi: Core.Strapi }): void => Boot.begin(strapi);
