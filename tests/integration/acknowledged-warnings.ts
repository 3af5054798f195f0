import { beforeAll, describe, expect, it } from 'vitest';
import type { Metrics, Warning } from '../../admin/src/api/responses';
import { LONGEST_REASON } from '../../server/src/admin-api/acknowledgement';
import { logIn, logInRestricted, type AdminSession } from '../application/admin-session';
import type { Application } from '../application/start-application';

/**
 * Asks an application that warns of `api::category.category` and of `provider.max`. That an acknowledgement survives a
 * restart: across-starts.test.ts.
 */
export const askOfAcknowledgement = (running: () => Application): void =>
  void describe('an acknowledged warning', () => {
    let application: Application;
    let admin: AdminSession;
    beforeAll(async () => {
      application = running();
      admin = await logIn(application);
    });

    const warnings = async (): Promise<Metrics['warnings']> =>
      (await admin.get<Metrics>('/rest-cache/metrics')).body.warnings;

    const warningOf = async (part: string): Promise<Warning> => {
      const found = (await warnings()).find(({ text }) => text.includes(part));
      if (found === undefined) throw new Error(`there is no warning of ${part}`);
      return found;
    };

    const counted = async (): Promise<number> => {
      const answer = await application.request('/rest-cache/metrics/prometheus', {
        headers: { authorization: `Bearer ${admin.token}` },
      });
      return Number(/^rest_cache_warnings (\d+)$/m.exec(await answer.text())?.[1]);
    };

    const acknowledge = (session: AdminSession, warning: string, reason: unknown) =>
      session.post<Warning>('/rest-cache/warnings', { warning, reason });

    it('says who acknowledged it, when and why, and counts it no longer; undone, it counts again', async () => {
      const { text, acknowledged, sentence, ...page } = await warningOf('api::category.category');
      expect(page).toEqual({
        code: 'shared-entry',
        explainedIn:
          'node_modules/strapi-plugin-response-cache/docs/signed-in-users.md#hitpass-false-alone-is-dangerous',
      });
      expect(acknowledged).toBe(null);
      expect(sentence).toMatchObject({ code: 'shared-entry', text });
      const before = await counted();
      expect(before).toBe((await warnings()).length);
      const started = Date.now();
      expect((await acknowledge(admin, text, '  Categories are the same for everybody.  ')).status).toBe(200);
      const { acknowledged: kept } = await warningOf('api::category.category');
      expect(kept).toMatchObject({
        by: { kind: 'admin', name: expect.any(String) },
        reason: 'Categories are the same for everybody.',
      });
      expect(kept?.at).toBeGreaterThanOrEqual(started);
      expect(kept?.at).toBeLessThanOrEqual(Date.now());
      expect(await counted()).toBe(before - 1);

      expect((await acknowledge(admin, text, null)).body).toEqual({ text, sentence, ...page, acknowledged: null });
      expect((await warningOf('api::category.category')).acknowledged).toBe(null);
      expect(await counted()).toBe(before);
    });

    it('is not lost when two admins acknowledge at the same instant', async () => {
      const other = await logInRestricted(application, admin, ['cache.read-strategy', 'cache.purge']);
      const [one, two] = [await warningOf('api::category.category'), await warningOf('provider.max')];
      for (let round = 0; round < 5; round += 1) {
        await Promise.all([acknowledge(admin, one.text, 'Mine.'), acknowledge(other, two.text, 'Theirs.')]);
        expect((await warningOf('api::category.category')).acknowledged?.reason).toBe('Mine.');
        const theirs = (await warningOf('provider.max')).acknowledged;
        expect(theirs).toMatchObject({ reason: 'Theirs.', by: { name: 'Rita Restricted' } });
        await Promise.all([acknowledge(other, one.text, 'Also mine.'), acknowledge(admin, one.text, 'Mine again.')]);
        expect((await warningOf('api::category.category')).acknowledged?.reason).toMatch(
          /^Also mine\.$|^Mine again\.$/,
        );
        await Promise.all([acknowledge(admin, one.text, null), acknowledge(other, two.text, null)]);
        expect((await warnings()).every(({ acknowledged }) => acknowledged === null)).toBe(true);
      }
    });

    it.each([
      ['a warning that there is not', { warning: 'no such warning', reason: 'because' }],
      ['no reason', { reason: '' }],
      ['blanks for a reason', { reason: '   ' }],
      ['a reason too long', { reason: 'x'.repeat(LONGEST_REASON + 1) }],
      ['a line break', { reason: 'one\ntwo' }],
      ['more than is asked for', { reason: 'because', by: 'somebody else' }],
    ])('refuses %s', async (_, body) => {
      const { text: warning } = await warningOf('api::category.category');
      expect((await admin.post('/rest-cache/warnings', { warning, ...body })).status).toBe(400);
      expect((await warningOf('api::category.category')).acknowledged).toBe(null);
    });

    it('wants the permission to purge: whoever may only look hides nothing from others', async () => {
      const reader = await logInRestricted(application, admin, ['cache.read-strategy']);
      const { text } = await warningOf('api::category.category');
      expect((await acknowledge(reader, text, 'because')).status).toBe(403);
    });
  });
