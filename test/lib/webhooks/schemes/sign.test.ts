import { describe, expect, it } from 'vitest';
import { signatureHeaders } from '../../../../lib/webhooks/schemes/sign.ts';
import { SENDERS, senderOf } from '../../../support/senders.ts';
import { MESSAGE, proofOf } from './fixture.ts';

const message = { ...MESSAGE, body: Buffer.from(MESSAGE.body) };
const svix = senderOf('standard-webhooks, v1, with the headers of Svix');
const asymmetric = senderOf('standard-webhooks, v1a');

describe.each(SENDERS.filter((sender) => sender !== svix && sender !== asymmetric))('$name', (sender) => {
  it('is signed as its sender signs', () => {
    const headers = signatureHeaders(sender.settings, sender.secret, message);
    expect(headers).toEqual(sender.sign(MESSAGE));
    expect(proofOf(sender.settings, [sender.secret], headers ?? {}, MESSAGE.body)).toBeDefined();
  });
});

it('nobody signs with a public key', () => {
  expect(signatureHeaders(asymmetric.settings, asymmetric.secret, message)).toBeUndefined();
});
