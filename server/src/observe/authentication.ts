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
 * Tells what authentication and authorisation read from what everybody else does, by where it is read, not when: a
 * middleware in front may have begun something that is still under way.
 */
export const watchAuthentication = (service: AuthService): void => {
  const { authenticate, verify } = service;
  // Nobody is asked on a route that says `auth: false`: Strapi's own for static files, which every GET passes, is one.
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

/** Before the handler learns of it. */
const noteGrant = ({ granted }: Recording, config: unknown, verifying: Promise<unknown>): void => {
  const asked: unknown = JSON.stringify(config);
  if (typeof asked !== 'string') return;
  verifying.then(
    () => void granted.add(asked),
    () => undefined,
  );
};
