import { said } from '../cache/sentence';
import type { Core } from '@strapi/strapi';
import { systemClock } from '../cache/clock';
import { endOfSignedUrl } from '../http/signed-urls';
import { currentRecording } from '../observe/recording';

interface ShownFile {
  readonly url?: unknown;
}

/** The part of the upload plugin's provider that is used here. */
interface UploadProvider {
  getSignedUrl?(file: ShownFile, ...rest: unknown[]): ShownFile | Promise<ShownFile>;
}

/**
 * Watches the upload provider, which signs the URLs of private uploads anew for each response. If a signed URL does not
 * say when it expires, or has expired already, the response is not stored: callers might get a URL that has expired.
 * All other signed URLs are found in the response itself (`http/signed-urls.ts`).
 */
export const watchSignedUrls = (strapi: Core.Strapi): void => {
  const { provider } = (strapi.plugins.upload ?? {}) as { readonly provider?: UploadProvider };
  const sign = provider?.getSignedUrl;
  if (provider === undefined || sign === undefined) return;
  provider.getSignedUrl = (file, ...rest) => {
    const recording = currentRecording();
    const { url: before } = file;
    const signing = sign.call(provider, file, ...rest);
    const note = ({ url }: ShownFile): void => {
      if (url === before) return;
      const end = typeof url === 'string' ? endOfSignedUrl(url) : undefined;
      if (end === undefined || end <= systemClock.now())
        recording?.forbidStoring(said('signed-url')`it shows a signed URL that does not say when it ends`);
    };
    if (signing instanceof Promise) signing.then(note, () => undefined);
    else note(signing);
    return signing;
  };
};
