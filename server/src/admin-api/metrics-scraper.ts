import { createHash, timingSafeEqual } from 'node:crypto';
import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { getRunning } from '../plugin/running';

const SCRAPER = 'rest-cache-scraper';

/** Digests are of one length, so that comparing them tells nothing of the secret, not even how long it is. */
const isEqual = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Lets a Prometheus server in that presents `metrics.prometheusSecret` as its bearer token. An authentication strategy
 * of its one route: anybody else goes on to Strapi's own.
 */
export const scraperStrategy = (strapi: Core.Strapi) => ({
  name: SCRAPER,
  authenticate({ request }: Context): { authenticated: boolean } {
    const secret = getRunning(strapi).config.metrics.prometheusSecret;
    const presented = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    return { authenticated: secret !== undefined && presented !== undefined && isEqual(presented, secret) };
  },
});

export const isScraper = (auth: { readonly strategy?: { readonly name?: string } } | undefined): boolean =>
  auth?.strategy?.name === SCRAPER;
