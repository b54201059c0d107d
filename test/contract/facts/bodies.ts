import type { FactGroup } from './fact.ts';
import { BROKEN_OFF, PACKED_PROJECT, PACKED_ZEROS, post, zeros } from './made.ts';

const CHECK = '?validateOnly=true';
const VALID = { query: CHECK, sees: { status: 200, body: /"valid":true/ } } as const;

export const BODIES: FactGroup = {
  heading: 'Bodies',
  shows: 'The request',
  facts: [
    {
      fact: 'With `*/*` as binary media type, every body arrives base64-encoded. A missing body is `null`, with `isBase64Encoded` false.',
      sure: 'docs',
      where: '`local/event.ts`',
      asks: [
        post(PACKED_PROJECT, [], VALID),
        post('', [], { query: CHECK, sees: { status: 400, problem: 'malformed-json' } }),
      ],
    },
    {
      fact: 'The gateway unpacks gzip before it calls the function, and keeps `Content-Encoding`.',
      sure: 'docs (compressed payloads), seen for the header',
      where: 'Functions recognise gzip by its first bytes, never by the header.',
      asks: [post(PACKED_PROJECT, [['Content-Encoding', 'gzip']], VALID)],
    },
    {
      fact: '`x-gzip` is gzip.',
      sure: 'assumed',
      where: '`local/body.ts`',
      asks: [post(PACKED_PROJECT, [['Content-Encoding', 'x-gzip']], VALID)],
    },
    {
      fact: 'Another coding is UNSUPPORTED_MEDIA_TYPE, 415.',
      sure: 'docs',
      where: '`local/body.ts`',
      asks: [post('{}', [['Content-Encoding', 'br']], { sees: { status: 415, problem: 'unsupported-media-type' } })],
    },
    {
      fact: 'A body that has this header but is not gzip is 415 too.',
      sure: 'docs',
      where: '`local/body.ts`',
      asks: [post('{}', [['Content-Encoding', 'gzip']], { sees: { status: 415, problem: 'unsupported-media-type' } })],
    },
    {
      fact: 'A truncated gzip stream reaches the function unchanged.',
      sure: "assumed: the documentation's 415 may hold for it too",
      where: 'The function answers 400 `malformed-json`.',
      asks: [post(BROKEN_OFF, [['Content-Encoding', 'gzip']], { sees: { status: 400, problem: 'malformed-json' } })],
    },
    {
      fact: 'A body over 10,485,760 bytes, packed or unpacked, is REQUEST_TOO_LARGE, 413.',
      sure: 'docs for packed, assumed for unpacked',
      where:
        '`local/body.ts` reads one byte more than the operation takes; on AWS the body of this 413 cannot be changed, here it is a problem.',
      asks: [
        post(zeros(10_485_761), [], { sees: { status: 413 } }),
        post(PACKED_ZEROS, [['Content-Encoding', 'gzip']], { sees: { status: 413 } }),
      ],
    },
    {
      fact: 'An event of more than 6,291,456 bytes of JSON is 413, and does not reach the function.',
      sure: 'docs for the limit, assumed for the answer',
      where: "`local/body.ts` reads no more than that. The contract's 4 MiB fit, base64-encoded.",
      asks: [post(zeros(5_000_000), [], { sees: { status: 413 } })],
    },
    {
      fact: 'The gateway checks credentials before the coding and the size of the body.',
      sure: 'assumed: AWS may refuse the body first',
      where: "`local/pipeline.ts` keeps the contract's order.",
      asks: [
        post('{}', [['Content-Encoding', 'br']], {
          anonymous: true,
          sees: { status: 401, problem: 'unauthenticated' },
        }),
      ],
    },
  ],
};
