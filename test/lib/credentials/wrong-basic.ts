import { crc32 } from 'node:zlib';
import { hashApiKey } from '../../../lib/credentials/api-key.ts';
import type { PartnerKey } from '../../support/segue.ts';

/** Existing keys, from which wrong ones are made. */
export interface Keys {
  readonly acme: PartnerKey;
  /** A second key of the same company. */
  readonly second: PartnerKey;
  /** A key of another company. */
  readonly other: PartnerKey;
  /** A revoked key. */
  readonly revoked: PartnerKey;
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

const base64 = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('base64');

/** Headers with wrong credentials, by what is wrong with them. */
export function wrongBasic({ acme, second, other, revoked }: Keys): Readonly<Record<string, Headers>> {
  const { companyId, apiKey, authorization } = acme;
  const text = `${companyId}:${apiKey}`;
  const [prefix, keyId, secret = ''] = apiKey.split('_');
  const right = base64(text);
  const values: Readonly<Record<string, string | readonly string[]>> = {
    'an empty header': '',
    'the right header twice': [authorization, authorization],
    'the right header, and another': [authorization, 'Basic YWNtZTprZXk='],
    'another, and the right header': ['Bearer a.b.c', authorization],
    'the right header twice in one': `${authorization}, ${authorization}`,
    'the scheme Digest': `Digest ${right}`,
    'the scheme ApiKey': `ApiKey ${apiKey}`,
    'no scheme': right,
    'the key alone': apiKey,
    'a scheme alone': 'Basic',
    'a tab after the scheme': `Basic\t${right}`,
    'no space after the scheme': `Basic${right}`,
    'no base64': `Basic ${text}`,
    hexadecimal: `Basic ${Buffer.from(text).toString('hex')}`,
    'base64 of base64': `Basic ${base64(right)}`,
    'a letter of URL-safe base64': `Basic -${right.slice(1)}`,
    'a letter more than base64 has': `${whole(other.authorization)}A`,
    'a last character with unused bits set': strayBits(authorization),
    'too much padding': `Basic ${right}==`,
    'padding in the middle': `Basic ${base64(`${companyId}:k`)}${base64(apiKey)}`,
    'a space in the middle': `Basic ${right.slice(0, 8)} ${right.slice(8)}`,
    quotes: `Basic "${right}"`,
    'a parameter': `Basic ${right}, realm="segue"`,
    'UTF-16': `Basic ${base64(text, 'utf16le')}`,
    'a byte order mark': `Basic ${base64(`\uFEFF${text}`)}`,
    'no colon': `Basic ${base64(`${companyId}${apiKey}`)}`,
    'a colon of full width': `Basic ${base64(`${companyId}：${apiKey}`)}`,
    'a colon alone': `Basic ${base64(':')}`,
    'no company': `Basic ${base64(`:${apiKey}`)}`,
    'no key': `Basic ${base64(`${companyId}:`)}`,
    'NUL after the key': `Basic ${base64(`${text}\0`)}`,
    'NUL after the company': `Basic ${base64(`${companyId}\0:${apiKey}`)}`,
    'a newline after the key': `Basic ${base64(`${text}\n`)}`,
    'a space before the key': `Basic ${base64(`${companyId}: ${apiKey}`)}`,
    'the colon percent-encoded': `Basic ${base64(`${companyId}%3A${apiKey}`)}`,
    'a letter of the company percent-encoded': `Basic ${base64(`%61${companyId.slice(1)}:${apiKey}`)}`,
    'the company in another case': `Basic ${base64(`${companyId.toUpperCase()}:${apiKey}`)}`,
    'the key in upper case': `Basic ${base64(`${companyId}:${apiKey.toUpperCase()}`)}`,
    'the key in lower case': `Basic ${base64(`${companyId}:${apiKey.toLowerCase()}`)}`,
    'a wrong checksum': `Basic ${base64(`${companyId}:${apiKey.slice(0, -1)}${apiKey.endsWith('x') ? 'y' : 'x'}`)}`,
    'the key cut short': `Basic ${base64(text.slice(0, -1))}`,
    'the key without its prefix': `Basic ${base64(`${companyId}:${keyId}_${secret}`)}`,
    'the id of a key alone': `Basic ${base64(`${companyId}:${keyId}`)}`,
    'the hash of the key': `Basic ${base64(`${companyId}:${hashApiKey(apiKey)}`)}`,
    'another company’s id': `Basic ${base64(`${other.companyId}:${apiKey}`)}`,
    'another company’s key': `Basic ${base64(`${companyId}:${other.apiKey}`)}`,
    'the id of another key with the own secret, and the right checksum': `Basic ${base64(
      `${companyId}:${withChecksum(`${prefix}_${second.keyId}_${secret.slice(0, -6)}`)}`,
    )}`,
    'a revoked key': revoked.authorization,
    'a path for a company': `Basic ${base64(`x/../${companyId}:${apiKey}`)}`,
    'a name of every object for a company': `Basic ${base64(`__proto__:${apiKey}`)}`,
    'SQL for a company': `Basic ${base64(`' OR '1'='1:${apiKey}`)}`,
    '12 KB': `Basic ${base64(`${text}${'x'.repeat(9_000)}`)}`,
  };
  const headers = Object.entries(values).map(([what, value]): [string, Headers] => [what, { Authorization: value }]);
  return {
    'no header': {},
    'a header of another name': { 'Proxy-Authorization': authorization },
    ...Object.fromEntries(headers),
  };
}

/** Requires base64 without padding, whose last character has no unused bits. */
function whole(encoded: string): string {
  if (encoded.endsWith('=')) throw new Error('This is padded');
  return encoded;
}

/** The same bytes in base64, with unused bits of the last character changed. */
function strayBits(encoded: string): string {
  const [, start, last = '', padding] = /^(.*)([^=])(=+)$/.exec(encoded) ?? [];
  if (!padding) throw new Error('This has no unused bits');
  return `${start}${String.fromCharCode(last.charCodeAt(0) + 1)}${padding}`;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A key's body with its checksum: CRC-32 as six letters of base 62. */
function withChecksum(body: string): string {
  let sum = '';
  for (let rest = crc32(body); sum.length < 6; rest = Math.floor(rest / 62)) sum = ALPHABET.charAt(rest % 62) + sum;
  return body + sum;
}
