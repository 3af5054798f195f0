import { authenticating, currentRecording, type Recording } from './recording';

interface Context {
  readonly state?: { readonly route?: { readonly config?: { readonly auth?: unknown } } };
}

/** Strapi's service `auth`, which every endpoint asks first. */
export interface AuthService {
  authenticate(ctx: unknown, next: () => Promise<unknown>): Promise<unknown>;
  verify(auth: unknown, config?: unknown): Promise<unknown>;
}

/** May answer for the service. What it asks the service itself is recorded. */
export interface AuthStandIn {
  authenticate(
    ctx: unknown,
    strategies: (next: () => Promise<unknown>) => Promise<unknown>,
    next: () => Promise<unknown>,
  ): Promise<unknown>;
  verify(auth: unknown, config: unknown, ask: () => Promise<unknown>): Promise<unknown>;
}

/**
 * Marks what authentication and authorisation read, so that it can be told from all other reads. What counts is the
 * asynchronous context of a read, not its time: work that a middleware in front has begun may still be running.
 */
export const wrapAuthentication = (service: AuthService, standIn: AuthStandIn): void => {
  const { authenticate, verify } = service;
  service.authenticate = (ctx, next) =>
    standIn.authenticate(
      ctx,
      // A route with `auth: false` authenticates nobody. Strapi's own route for static files, which every GET passes,
      // is one.
      (then) =>
        (ctx as Context).state?.route?.config?.auth === false
          ? authenticate.call(service, ctx, then)
          : authenticating((leave) => authenticate.call(service, ctx, () => leave(then))),
      next,
    );
  service.verify = (auth, config) =>
    standIn.verify(auth, config, () => {
      if (config === false) return verify.call(service, auth, config);
      const recording = currentRecording();
      if (recording?.makesAnswer !== true) return authenticating(() => verify.call(service, auth, config));
      // A part of the answer, like all that the handler reads. Strapi's own handlers ask once for each relation.
      const verifying = verify.call(service, auth, config);
      if (!recording.isByStrapi) noteGrant(recording, config, verifying);
      return verifying;
    });
};

/** Notes what the handler was granted. Attached before the handler has the promise, so that it is noted first. */
const noteGrant = ({ granted }: Recording, config: unknown, verifying: Promise<unknown>): void => {
  // Without a configuration, Strapi asks for a caller who has logged in.
  const asked: unknown = JSON.stringify(config ?? {});
  if (typeof asked !== 'string') return;
  verifying.then(
    () => void granted.add(asked),
    () => undefined,
  );
};
