import type { Application } from './start-application';

/** A response of the admin API. `Body` is the shape that the test expects; nothing validates it. */
export interface AdminAnswer<Body> {
  readonly status: number;
  readonly body: Body;
}

/** The shape of Strapi's error responses. */
export interface StrapiError {
  readonly error: { readonly status: number; readonly name: string; readonly message: string };
}

/** An admin who is logged in. */
export interface AdminSession {
  readonly token: string;
  get<Body = unknown>(path: string): Promise<AdminAnswer<Body>>;
  post<Body = unknown>(path: string, body: unknown): Promise<AdminAnswer<Body>>;
  put<Body = unknown>(path: string, body: unknown): Promise<AdminAnswer<Body>>;
}

/** The wrapper that Strapi's own admin routes put around their data. */
interface Data<T> {
  readonly data: T;
}

type Requests = Pick<Application, 'request'>;

const sessionWith = ({ request }: Requests, token: string): AdminSession => {
  const send = async <Body>(path: string, init: RequestInit): Promise<AdminAnswer<Body>> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await request(path, { ...init, headers });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : parse(text)) as Body };
  };
  return {
    token,
    get: (path) => send(path, {}),
    post: (path, body) => send(path, { method: 'POST', body: JSON.stringify(body) }),
    put: (path, body) => send(path, { method: 'PUT', body: JSON.stringify(body) }),
  };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

export const logIn = async (application: Requests, email = 'admin@example.com'): Promise<AdminSession> => {
  const answer = await sessionWith(application, '').post<Data<{ token: string }>>('/admin/login', {
    email,
    password: 'Passw0rd1',
  });
  if (answer.status !== 200) throw new Error(`${email} cannot log in: ${JSON.stringify(answer.body)}`);
  return sessionWith(application, answer.body.data.token);
};

/**
 * Creates an admin whose role has only these permissions of the plugin (such as `cache.purge`) and the `further` ones,
 * and logs in as that admin.
 */
export const logInRestricted = async (
  application: Requests,
  admin: AdminSession,
  permissions: readonly string[],
  further: readonly unknown[] = [],
): Promise<AdminSession & { readonly email: string }> => {
  const email = `restricted-${Math.random().toString(36).slice(2)}@example.com`;
  const role = await admin.post<Data<{ id: number }>>('/admin/roles', { name: email, description: 'made by a test' });
  const granted = permissions.map((permission) => ({ action: `plugin::rest-cache.${permission}`, subject: null }));
  await admin.put(`/admin/roles/${role.body.data.id}/permissions`, { permissions: [...granted, ...further] });
  const invited = await admin.post<Data<{ registrationToken: string }>>('/admin/users', {
    firstname: 'Rita',
    lastname: 'Restricted',
    email,
    roles: [role.body.data.id],
  });
  const { registrationToken } = invited.body.data;
  await admin.post('/admin/register', {
    registrationToken,
    userInfo: { firstname: 'Rita', lastname: 'Restricted', password: 'Passw0rd1' },
  });
  return { ...(await logIn(application, email)), email };
};
