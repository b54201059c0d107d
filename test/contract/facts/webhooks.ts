import type { FactGroup } from './fact.ts';
import { zeros } from './made.ts';

const NOBODY = { method: 'POST', path: '/webhooks/none', anonymous: true } as const;
const UNKNOWN = { status: 404, problem: 'source-not-found' } as const;

export const WEBHOOKS: FactGroup = {
  heading: 'Webhooks',
  shows: 'The request',
  facts: [
    {
      fact: 'A method without an authorizer is called without credentials, and with whatever `Authorization` there is.',
      sure: 'docs',
      where: '`POST /webhooks/{source}`: the signature is the credential, and may well be in that header.',
      asks: [
        { ...NOBODY, body: '{}', sees: UNKNOWN },
        { ...NOBODY, body: '{}', headers: [['Authorization', 'HMAC 0123']], sees: UNKNOWN },
      ],
    },
    {
      fact: 'A body reaches the function with its very bytes, be they UTF-8 or not, and whatever its `Content-Type` says or does not.',
      sure: 'docs',
      where: '`lib/webhooks/receive.ts`: they are what is signed.',
      asks: [
        { ...NOBODY, body: zeros(262_144), sees: UNKNOWN },
        { ...NOBODY, body: zeros(262_145), sees: { status: 413, problem: 'too-large' } },
      ],
    },
    {
      fact: 'The bytes of a body are the same in number and value, not only in number.',
      sure: 'docs (binary media types)',
      where: '`lib/webhooks/signature-schemes/verify-message.ts`',
      byHand:
        'a source of the scheme `github` with `$SECRET`: `printf \'\\376\\377\' > b`, and `curl -i --data-binary @b -H "X-Hub-Signature-256: sha256=$(openssl dgst -sha256 -hmac "$SECRET" -r b | cut -c1-64)" "$API/webhooks/<name>"` is 202',
    },
    {
      fact: 'Two headers of one name are two values of `multiValueHeaders`, never one value with a comma.',
      sure: 'docs',
      where:
        '`lib/webhooks/signature-schemes/verify-message.ts` refuses both; a value with a comma is no signature either.',
      byHand: 'the request before, with its signature header twice: 401 `invalid-signature`',
    },
    {
      fact: 'A secret that was made can be read at once by its name, and one that was deleted without recovery cannot be read any more.',
      sure: 'assumed: Secrets Manager says that changes take a moment',
      where:
        '`lib/webhooks/source-admin.ts` names a place in the table once it is filled; until it can be read, messages are 503 and sent again.',
      byHand: '`source rotate`, and at once a message that is signed with the new secret: 202',
    },
  ],
};
