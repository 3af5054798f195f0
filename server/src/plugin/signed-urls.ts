import type { Core } from '@strapi/strapi';
import { systemClock } from '../cache/clock';
import { endOfSignedUrl } from '../http/signed-urls';
import { currentRecording } from '../observe/recording';

interface ShownFile {
  readonly url?: unknown;
}

/** The part of the upload plugin's provider that matters here. */
interface UploadProvider {
  getSignedUrl?(file: ShownFile, ...rest: unknown[]): ShownFile | Promise<ShownFile>;
}

/**
 * Strapi has the URLs of private uploads signed anew for each answer. One that does not say when it ends keeps its answer
 * from being stored: it would be shown when it has ended. All others are found in the answer (`http/signed-urls.ts`).
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
      if (end === undefined || end <= systemClock.now()) recording?.forbidStoring(UNKNOWN_END);
    };
    if (signing instanceof Promise) signing.then(note, () => undefined);
    else note(signing);
    return signing;
  };
};

const UNKNOWN_END = 'it shows a signed URL that does not say when it ends';
