import { describe, expect, it } from 'vitest';
import { schemeOf } from '../../../../lib/webhooks/signature-schemes/schemes.ts';
import { SENDERS, senderOf } from '../../../support/senders.ts';
import { MESSAGE, proofOf } from './fixture.ts';

const message = { ...MESSAGE, body: Buffer.from(MESSAGE.body) };
const svix = senderOf('standard-webhooks, v1, with the headers of Svix');
const asymmetric = senderOf('standard-webhooks, v1a');

describe.each(SENDERS.filter((sender) => sender !== svix && sender !== asymmetric))('$name', (sender) => {
  it('is signed as its sender signs', () => {
    const headers = schemeOf(sender.settings).sign(sender.secret, message);
    expect(headers).toEqual(sender.sign(MESSAGE));
    expect(proofOf(sender.settings, [sender.secret], headers ?? {}, MESSAGE.body)).toBeDefined();
  });
});

it('nobody signs with a public key', () => {
  expect(schemeOf(asymmetric.settings).sign(asymmetric.secret, message)).toBeUndefined();
});
