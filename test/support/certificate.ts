import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Encodes a DER value. */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), body]);
}

const sequence = (...content: readonly Uint8Array[]) => der(0x30, ...content);
const octets = (content: Uint8Array) => der(0x04, content);
const oid = (...bytes: readonly number[]) => der(0x06, Buffer.from(bytes));
const text = (tag: number, content: string) => der(tag, Buffer.from(content));
const YES = der(0x01, Buffer.from([0xff]));

const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const VALIDITY = sequence(text(0x17, '200101000000Z'), text(0x18, '20980101000000Z'));
const nameOf = (name: string) => sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), text(0x0c, name))));
const IS_AUTHORITY = sequence(oid(0x55, 0x1d, 0x13), YES, octets(sequence(YES)));
/** Returns the extension with the names for which a certificate is valid. */
const namesOf = (...names: readonly string[]) =>
  sequence(oid(0x55, 0x1d, 0x11), octets(sequence(...names.map((name) => text(0x82, name)))));

interface Certificate {
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly serial: number;
  readonly extension: Buffer;
}

const ISSUER = 'A test authority';

function certificate({ subject, publicKey, serial, extension }: Certificate, issuerKey: KeyObject): string {
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial])),
    ECDSA_SHA256,
    nameOf(ISSUER),
    VALIDITY,
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, issuerKey));
  const base64 = sequence(signed, ECDSA_SHA256, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

/** Makes a certificate authority, and a certificate of it for some host names. All texts are PEM. */
export function certificateFor(...hosts: readonly string[]): { ca: string; cert: string; key: string } {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [subject = ''] = hosts;
  return {
    ca: certificate(
      { subject: ISSUER, publicKey: authority.publicKey, serial: 1, extension: IS_AUTHORITY },
      authority.privateKey,
    ),
    cert: certificate({ subject, publicKey, serial: 2, extension: namesOf(...hosts) }, authority.privateKey),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
