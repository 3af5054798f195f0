import { expect, it } from 'vitest';
import { DEFAULT_KEYS, DEFAULT_STALE } from '../config/defaults';
import { contentTypeSharing, sharingOf } from '../../../server/src/admin-api/content-types';
import { aRoute } from '../monitor/route';

const keyed = { ...DEFAULT_KEYS, useAuth: true };
const byRole = { ...DEFAULT_KEYS, useAuth: 'role' } as const;
const sometimes = () => true;

it('warns wherever callers with credentials share entries, functions included', () => {
  expect(sharingOf({ hitpass: false, keys: DEFAULT_KEYS })).toBe('shared');
  expect(sharingOf({ hitpass: sometimes, keys: DEFAULT_KEYS })).toBe('shared');
  expect(sharingOf({ hitpass: false, keys: keyed })).toBe('keyed');
  expect(sharingOf({ hitpass: sometimes, keys: keyed })).toBe('keyed');
  expect(sharingOf({ hitpass: false, keys: byRole })).toBe('role');
  expect(sharingOf({ hitpass: false, keys: byRole, isOpen: true })).toBe('public');
  expect(sharingOf({ hitpass: true, keys: keyed })).toBe('public');
  expect(sharingOf({ hitpass: true, keys: DEFAULT_KEYS })).toBe('public');
});

it('takes the most alarming level for a content type', () => {
  const { contentType: uid, maxAge, keys } = aRoute();
  const lists = { shownContentTypes: [], relatedContentTypes: [] };
  const type = {
    uid,
    maxAge,
    keys,
    hitpass: true,
    statuses: [],
    repeatable: false,
    sharesWork: true,
    stale: DEFAULT_STALE,
    ...lists,
  };
  expect(contentTypeSharing({ ...type, routes: [aRoute(), aRoute({ hitpass: false })] })).toBe('shared');
  expect(contentTypeSharing({ ...type, routes: [aRoute({ hitpass: false, keys: keyed })] })).toBe('keyed');
  const ofBoth = [aRoute({ hitpass: false, keys: keyed }), aRoute({ hitpass: false, keys: byRole })];
  expect(contentTypeSharing({ ...type, routes: ofBoth })).toBe('role');
  expect(contentTypeSharing({ ...type, routes: [aRoute()] })).toBe('public');
  expect(contentTypeSharing({ ...type, hitpass: false, routes: [aRoute()] })).toBe('shared');
});
