import type { Application } from '../application/start-application';

/** Logs in a customer of the playground over HTTP, and returns the JSON web token. */
export const logInCustomer = async ({ request }: Application, identifier = 'alice'): Promise<string> => {
  const response = await request('/api/auth/local', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier, password: 'Passw0rd1' }),
  });
  const { jwt } = (await response.json()) as { jwt?: string };
  if (jwt === undefined) throw new Error(`${identifier} cannot log in: ${response.status}`);
  return jwt;
};
