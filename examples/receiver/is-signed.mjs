import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether an event was signed with `secret` (whsec_…), less than 5 minutes ago. `body` is the text as it arrived. */
export function isSigned(headers, body, secret) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) < 300)) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const expected = Buffer.from(`v1,${signature}`);
  const given = String(signatures)
    .split(' ')
    .map((each) => Buffer.from(each));
  return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
}
