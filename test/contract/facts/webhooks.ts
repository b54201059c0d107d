import type { FactGroup } from './fact.ts';
import { zeros } from './made.ts';

const NOBODY = { method: 'POST', path: '/webhooks/none', anonymous: true } as const;
const UNKNOWN = { status: 404, problem: 'source-not-found' } as const;

export const WEBHOOKS: FactGroup = {
  heading: 'Webhooks',
  shows: 'The request',
  facts: [
    {
      fact: 'A method without an authorizer needs no credentials, and accepts any `Authorization`.',
      sure: 'docs',
      where: '`POST /webhooks/{source}`: the signature is the credential, and may be in that header.',
      asks: [
        { ...NOBODY, body: '{}', sees: UNKNOWN },
        { ...NOBODY, body: '{}', headers: [['Authorization', 'HMAC 0123']], sees: UNKNOWN },
      ],
    },
    {
      fact: 'A body reaches the function byte for byte, also if it is not UTF-8, with any `Content-Type` or none.',
      sure: 'docs',
      where: '`lib/webhooks/receive.ts`: the signature covers these bytes.',
      asks: [
        { ...NOBODY, body: zeros(262_144), sees: UNKNOWN },
        { ...NOBODY, body: zeros(262_145), sees: { status: 413, problem: 'too-large' } },
      ],
    },
    {
      fact: 'The bytes of a body keep their values, and not only their number.',
      sure: 'docs (binary media types)',
      where: '`lib/signatures/verify-message.ts`',
      byHand:
        'a source of the scheme `github` with `$SECRET`: `printf \'\\376\\377\' > b`, and `curl -i --data-binary @b -H "X-Hub-Signature-256: sha256=$(openssl dgst -sha256 -hmac "$SECRET" -r b | cut -c1-64)" "$API/webhooks/<name>"` is 202',
    },
    {
      fact: 'Two headers of one name are two values of `multiValueHeaders`, never one value with a comma.',
      sure: 'docs',
      where: '`lib/signatures/verify-message.ts` refuses both; a value with a comma is no signature either.',
      byHand: 'the request before, with its signature header twice: 401 `invalid-signature`',
    },
    {
      fact: 'A new secret can be read by its name at once. A secret that was deleted without recovery can no longer be read.',
      sure: 'assumed: Secrets Manager says that changes take a moment',
      where:
        '`lib/webhooks/source-admin.ts` writes the name of a secret to the table after it created the secret. Until the secret can be read, messages get 503, and senders retry.',
      byHand: '`source rotate`, and at once a message that is signed with the new secret: 202',
    },
  ],
};
