import type { PlantedBug } from './bug.ts';

const VERIFY = 'test/lib/webhooks/schemes/verify.test.ts';
const SOURCES = 'test/lib/webhooks/administration.test.ts';
const RECEIVE = 'test/lib/webhooks/receive.test.ts';

/** Of who sent the message of a webhook, and of which one it is. */
export const SIGNATURE_BUGS: readonly PlantedBug[] = [
  {
    name: 'a signature is compared as far as it goes',
    file: 'lib/webhooks/schemes/keys.ts',
    find: 'given.length === right.length && timingSafeEqual(given, right)',
    replace: 'timingSafeEqual(given, right.subarray(0, given.length))',
    tests: [VERIFY],
  },
  {
    name: 'a message may be as old as it likes',
    file: 'lib/webhooks/schemes/verify.ts',
    find: 'Math.abs(nowMs - signedAtMs)',
    replace: '(signedAtMs - nowMs)',
    tests: [VERIFY],
  },
  {
    name: 'a message may come from any future',
    file: 'lib/webhooks/schemes/verify.ts',
    find: 'Math.abs(nowMs - signedAtMs)',
    replace: '(nowMs - signedAtMs)',
    tests: [VERIFY],
  },
  {
    name: 'the text of a body is proved, not its bytes',
    file: 'lib/webhooks/schemes/verify.ts',
    find: '[Buffer.from(claim.prefix), message.body]',
    replace: '[Buffer.from(claim.prefix), Buffer.from(Buffer.from(message.body).toString())]',
    tests: [VERIFY, 'test/lib/webhooks/receiving.test.ts'],
  },
  {
    name: 'only the newest secret of a source counts',
    file: 'lib/webhooks/schemes/verify.ts',
    find: 'secrets.flatMap(',
    replace: 'secrets.slice(0, 1).flatMap(',
    tests: [VERIFY],
  },
  {
    name: 'a time is read loosely',
    file: 'lib/webhooks/schemes/scheme.ts',
    find: 'SECONDS.test(text) ?',
    replace: 'Number(text) > 0 ?',
    tests: [VERIFY],
  },
  {
    name: 'of two headers of one name the last counts',
    file: 'lib/webhooks/schemes/verify.ts',
    find: 'message.headerValues(name))',
    replace: 'message.headerValues(name).slice(-1))',
    tests: [VERIFY],
  },
  {
    name: 'an id with a full stop is divided in another way',
    file: 'lib/webhooks/schemes/standard-webhooks.ts',
    find: '\\x21-\\x2d\\x2f-\\x7e]{1,255}',
    replace: '\\x21-\\x7e]{1,255}',
    tests: [VERIFY],
  },
  {
    name: 'base64 is read in any way of writing it',
    file: 'lib/webhooks/schemes/keys.ts',
    find: "return bytes.toString('base64') === text ? bytes : undefined;",
    replace: 'return bytes;',
    tests: [VERIFY],
  },
  {
    name: 'the id of a delivery is by a header that nobody signed',
    file: 'lib/webhooks/receive.ts',
    find: 'deliveryIdOf(source, proof, body)',
    replace: "deliveryIdOf(source, { messageId: request.header('x-github-delivery') ?? proof.messageId }, body)",
    tests: [RECEIVE],
  },
  {
    name: 'the id of a delivery changes with every attempt',
    file: 'lib/webhooks/schemes/stripe.ts',
    find: 'signedAtMs, signatures };',
    replace: 'signedAtMs, messageId: seconds, signatures };',
    tests: [RECEIVE],
  },
  {
    name: 'a mapping reads signatures',
    file: 'lib/webhooks/headers.ts',
    find: 'name !== signatureHeader && !PRIVATE.some((pattern) => pattern.test(name))',
    replace: 'name !== signatureHeader',
    tests: [RECEIVE],
  },
  {
    name: 'the secrets of a source are never read anew',
    file: 'lib/webhooks/administration.ts',
    find: "randomBytes(6).toString('hex')",
    replace: "'always'",
    tests: [SOURCES],
  },
  {
    name: 'a rotation that others overtook takes effect all the same',
    file: 'lib/webhooks/administration.ts',
    find: "return { kind: 'replace', key: sourceKey(name), version, data };",
    replace: "return { kind: 'put', key: sourceKey(name), data };",
    tests: [SOURCES],
  },
];
