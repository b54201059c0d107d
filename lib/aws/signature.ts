import { createHash, createHmac } from 'node:crypto';
import type { AwsCredentials } from './aws-endpoint.ts';

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** A request before it is signed: a POST to `/`. */
export interface Unsigned {
  /** As its host begins. */
  readonly service: string;
  readonly region: string;
  readonly host: string;
  /** By lower-case names; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Signs a request by AWS's Signature Version 4, for the one form that such requests have.
 * @param nowMs milliseconds since 1970; AWS takes what is at most five minutes old
 * @returns the headers to send
 */
export function signed(
  { service, region, host, headers: given, body }: Unsigned,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  nowMs: number,
): Record<string, string> {
  const date = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = date.slice(0, 8);
  const headers = {
    ...given,
    host,
    'x-amz-date': date,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const sorted = Object.entries(headers).sort(([one], [other]) => (one < other ? -1 : 1));
  const names = sorted.map(([name]) => name).join(';');
  const lines = sorted.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}\n`).join('');
  const canonical = ['POST', '/', '', lines, names, sha256(body)].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, [ALGORITHM, date, scope, sha256(canonical)].join('\n')).toString('hex');
  const authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...headers, authorization };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
