import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { signed } from '../../../lib/aws/signature.ts';

const word = fc.stringMatching(/^[a-z0-9-]{1,20}$/);
const secret = fc.string({ minLength: 1, maxLength: 60 });

const inputs = fc.record({
  service: fc.constantFrom('dynamodb', 'secretsmanager'),
  region: fc.constantFrom('eu-central-1', 'us-east-1', 'cn-north-1'),
  host: fc.constantFrom('dynamodb.eu-central-1.amazonaws.com', '127.0.0.1:8000'),
  target: word,
  body: fc.string({ unit: 'grapheme', maxLength: 200 }),
  credentials: fc.record({
    accessKeyId: word,
    secretAccessKey: secret,
    sessionToken: fc.option(fc.stringMatching(/^[!-~]{1,80}$/), { nil: undefined }),
  }),
  nowMs: fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }),
});

it("signs as the SDK's own signer does", async () => {
  const property = fc.asyncProperty(inputs, async ({ service, region, host, target, body, credentials, nowMs }) => {
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target };
    const ours = signed({ service, region, host, headers, body }, credentials, nowMs);
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const signer = new SignatureV4({
      service,
      region,
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
      sha256: Sha256,
      applyChecksum: false,
    });
    const request = {
      method: 'POST',
      protocol: 'https:',
      hostname: 'host',
      path: '/',
      headers: { ...headers, host },
      body,
    };
    const theirs = await signer.sign(request, { signingDate: new Date(nowMs) });
    expect(ours).toEqual(theirs.headers);
  });
  await fc.assert(property, { numRuns: 300 });
});

/** Node's SHA-256 in the shape that the SDK's signer takes. */
class Sha256 {
  readonly #hash;

  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(key));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): string | Uint8Array {
  if (typeof data === 'string') return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
