import { describe, expect, it } from 'vitest';
import { signedHeaders } from '../../../lib/aws/request-signature.ts';

// The account and time of the test vectors that AWS publishes for Signature Version 4 (`aws-sig-v4-test-suite`).
const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const SCOPE = { region: 'us-east-1', service: 'service' };
const AT_MS = Date.parse('2015-08-30T12:36:00Z');
const HOST = { host: 'example.amazonaws.com' };
const FORM = { ...HOST, 'content-type': 'application/x-www-form-urlencoded' };

const authorization = (names: string, signature: string) =>
  `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`;

describe('a test vector of AWS', () => {
  it.each([
    {
      vector: 'post-vanilla',
      headers: HOST,
      body: '',
      names: 'host;x-amz-date',
      signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    },
    {
      vector: 'post-header-key-sort',
      headers: { ...HOST, 'my-header1': 'value1' },
      body: '',
      names: 'host;my-header1;x-amz-date',
      signature: 'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
    },
    {
      vector: 'post-header-value-case',
      headers: { ...HOST, 'my-header1': 'VALUE1' },
      body: '',
      names: 'host;my-header1;x-amz-date',
      signature: 'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
    },
    {
      vector: 'post-x-www-form-urlencoded',
      headers: FORM,
      body: 'Param1=value1',
      names: 'content-type;host;x-amz-date',
      signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    },
    {
      vector: 'post-x-www-form-urlencoded-parameters',
      headers: { ...HOST, 'content-type': 'application/x-www-form-urlencoded; charset=utf8' },
      body: 'Param1=value1',
      names: 'content-type;host;x-amz-date',
      signature: '1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe',
    },
  ])('$vector has its signature', ({ headers, body, names, signature }) => {
    expect(signedHeaders({ headers, body }, SCOPE, CREDENTIALS, AT_MS)).toEqual({
      ...headers,
      'x-amz-date': '20150830T123600Z',
      authorization: authorization(names, signature),
    });
  });
});
