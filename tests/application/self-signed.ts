import { generateKeyPairSync, sign } from 'node:crypto';

const element = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
};
const sequence = (...parts: readonly Buffer[]): Buffer => element(0x30, ...parts);
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** A key and a self-signed certificate for a test server (X.509, RFC 5280, section 4.1): ECDSA, valid until 2049. */
export const selfSigned = (): { readonly key: string; readonly cert: string } => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = sequence(hex('06082a8648ce3d040302'));
  const name = sequence(element(0x31, sequence(hex('0603550403'), element(0x0c, Buffer.from('localhost')))));
  const validity = sequence(element(0x17, Buffer.from('200101000000Z')), element(0x17, Buffer.from('491231235959Z')));
  const signed = sequence(
    hex('a003020102'),
    hex('020101'),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', signed, privateKey);
  const der = sequence(signed, algorithm, element(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const body = (der.toString('base64').match(/.{1,64}/g) ?? []).join('\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
  };
};
