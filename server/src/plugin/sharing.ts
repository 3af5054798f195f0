import type { ResolvedContentType, ResolvedKeys } from '../config/resolved-config';
import type { Hitpass } from '../config/user-config';

/**
 * Who may be served whose response. `shared`: callers with credentials share entries, the unsafe configuration the
 * boot warns of. `keyed`: one entry per caller. `public`: only what everybody may see is cached.
 */
export type Sharing = 'shared' | 'keyed' | 'public';

export const sharingOf = ({ hitpass, keys }: { readonly hitpass: Hitpass; readonly keys: ResolvedKeys }): Sharing => {
  if (hitpass === true) return 'public';
  return keys.useAuth ? 'keyed' : 'shared';
};

/** Of a content type: the most alarming of its own settings and its routes'. */
export const contentTypeSharing = (contentType: ResolvedContentType): Sharing => {
  const levels = [contentType, ...contentType.routes].map(sharingOf);
  return levels.find((level) => level === 'shared') ?? levels.find((level) => level === 'keyed') ?? 'public';
};
