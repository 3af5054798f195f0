import { authenticating, currentRecording, type Recording } from './recording';

interface Context {
  readonly state?: { readonly route?: { readonly config?: { readonly auth?: unknown } } };
}

/** Strapi's service `auth`, which every endpoint asks first. */
export interface AuthService {
  authenticate(ctx: unknown, next: () => Promise<unknown>): Promise<unknown>;
  verify(auth: unknown, config?: unknown): Promise<unknown>;
}

/**
 * Marks what authentication and authorisation read, so that it can be told from all other reads. What counts is the
 * asynchronous context of a read, not its time: work that a middleware in front has begun may still be running.
 */
export const watchAuthentication = (service: AuthService): void => {
  const { authenticate, verify } = service;
  // A route with `auth: false` authenticates nobody. Strapi's own route for static files, which every GET passes, is
  // one.
  service.authenticate = (ctx, next) =>
    (ctx as Context).state?.route?.config?.auth === false
      ? authenticate.call(service, ctx, next)
      : authenticating((leave) => authenticate.call(service, ctx, () => leave(next)));
  service.verify = (auth, config) => {
    if (config === false) return verify.call(service, auth, config);
    const verifying = authenticating(() => verify.call(service, auth, config));
    const recording = currentRecording();
    if (recording?.makesAnswer === true) noteGrant(recording, config, verifying);
    return verifying;
  };
};

/** Notes what the handler was granted. Attached before the handler has the promise, so that it is noted first. */
const noteGrant = ({ granted }: Recording, config: unknown, verifying: Promise<unknown>): void => {
  const asked: unknown = JSON.stringify(config);
  if (typeof asked !== 'string') return;
  verifying.then(
    () => void granted.add(asked),
    () => undefined,
  );
};
