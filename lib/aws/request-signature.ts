import { createHmac, hash } from 'node:crypto';
import type { AwsCredentials } from './aws-endpoint.ts';

/** What a signature is for: one service in one region. */
export interface SigningScope {
  readonly region: string;
  readonly service: string;
}

export interface UnsignedRequest {
  /** The headers, with names in lower case and values without spaces at their ends. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Signs a `POST` to the path `/` with AWS Signature Version 4. Every operation of the AWS JSON protocol is such a
 * request. The SDK's signer also signs other requests, but is ten times as large, and every cold start loads it.
 * @returns the headers to send
 */
export function signedHeaders(
  { headers, body }: UnsignedRequest,
  { region, service }: SigningScope,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  nowMs: number,
): Record<string, string> {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = [time.slice(0, 'YYYYMMDD'.length), region, service, 'aws4_request'];
  const sent = {
    ...headers,
    'x-amz-date': time,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const sorted = Object.entries(sent).sort(([one], [other]) => (one < other ? -1 : 1));
  const names = sorted.map(([name]) => name).join(';');
  const lines = sorted.map(([name, value]) => `${name}:${value}\n`).join('');
  const request = ['POST', '/', '', lines, names, sha256(body)].join('\n');
  const toSign = [ALGORITHM, time, scope.join('/'), sha256(request)].join('\n');
  const key = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  const credential = `${accessKeyId}/${scope.join('/')}`;
  return {
    ...sent,
    authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
