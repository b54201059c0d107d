import { crc32, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { FaultCode } from '../../../lib/contract/faults.ts';
import { Api, projectIn } from '../../contract/api.ts';
import { expectProblem, type TestedProblem } from '../../contract/problems.ts';
import { startGateway } from '../../support/gateway.ts';
import { smallProject } from '../../support/projects.ts';

const text = Buffer.from(JSON.stringify(smallProject()));
const whole = gzipSync(text);
const nothing = gzipSync('');
const MIB = 1_048_576;

/** The flags in a gzip member's header (RFC 1952), and the bytes that follow the header for each. */
const FLAGS = { text: 0x01, checksum: 0x02, extra: 0x04, name: 0x08, comment: 0x10, reserved: 0x20 } as const;

/** Returns a gzip member from its fields, so that each field can be unusual. */
function gzipMember({ method = 8, flags = 0, fields = Buffer.alloc(0), sum = crc32(text), length = text.length } = {}) {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(sum, 0);
  trailer.writeUInt32LE(length, 4);
  return Buffer.concat([Buffer.of(0x1f, 0x8b, method, flags, 0, 0, 0, 0, 0, 3), fields, deflateRawSync(text), trailer]);
}

const flipped = (bytes: Uint8Array, at: number) => Buffer.from(bytes).fill((bytes[at] ?? 0) ^ 0x10, at, at + 1);
const cut = (fraction: number) => whole.subarray(0, Math.floor(whole.length * fraction));
const emptyMembers = (count: number) => Buffer.concat(Array.from({ length: count }, () => nothing));
const bomb = (mebibytes: number) => gzipSync(Buffer.alloc(mebibytes * MIB, ' '));

/** The result for a body: a created project, or a problem with its fault. */
type Fate = 'created' | readonly [problem: TestedProblem, fault?: FaultCode];
const BROKEN = ['malformed-json', 'encoding'] as const;
const SYNTAX = ['malformed-json', 'syntax'] as const;

/**
 * Streams with two results each: with `Content-Encoding: gzip`, and without it, where the first bytes identify gzip.
 */
const STREAMS: Readonly<Record<string, readonly [stream: Uint8Array, told: Fate, untold?: Fate]>> = {
  'stored, not compressed': [gzipSync(text, { level: 0 }), 'created'],
  'with a name': [gzipMember({ flags: FLAGS.name, fields: Buffer.from('project.json\0') }), 'created'],
  'with a comment': [gzipMember({ flags: FLAGS.comment, fields: Buffer.from('a comment\0') }), 'created'],
  'with extra fields': [gzipMember({ flags: FLAGS.extra, fields: Buffer.from('\x02\0ab') }), 'created'],
  'said to be text': [gzipMember({ flags: FLAGS.text }), 'created'],
  'an empty member before it': [Buffer.concat([nothing, whole]), 'created'],
  'a thousand empty members around it': [Buffer.concat([emptyMembers(500), whole, emptyMembers(500)]), 'created'],
  'in two members': [Buffer.concat([gzipSync(text.subarray(0, 9)), gzipSync(text.subarray(9))]), 'created'],
  'a member for every byte': [Buffer.concat(Array.from(text, (byte) => gzipSync(Buffer.of(byte)))), 'created'],
  'zeros behind it': [Buffer.concat([whole, Buffer.alloc(512)]), 'created'],
  // Bytes after a member end the stream if they begin with zero, like the padding of a tape.
  'a zero and garbage behind it': [Buffer.concat([whole, Buffer.from('\0garbage')]), 'created'],
  'garbage behind it': [Buffer.concat([whole, Buffer.from('garbage')]), BROKEN],
  'the project twice': [Buffer.concat([whole, whole]), SYNTAX],
  'gzip of gzip': [gzipSync(whole), 'created', BROKEN],
  'an empty member': [nothing, SYNTAX],
  'a half': [cut(0.5), BROKEN],
  'no trailer': [whole.subarray(0, -8), BROKEN],
  'whole, and a second member cut short': [Buffer.concat([whole, cut(0.5)]), BROKEN],
  'another checksum': [gzipMember({ sum: 0 }), BROKEN],
  'a bit of its data flipped': [flipped(whole, 40), BROKEN],
  'another method': [gzipMember({ method: 7 }), BROKEN],
  'a reserved flag': [gzipMember({ flags: FLAGS.reserved }), BROKEN],
  'a checksum of the header that is wrong': [gzipMember({ flags: FLAGS.checksum, fields: Buffer.from('xx') }), BROKEN],
  'a name without an end': [
    Buffer.concat([Buffer.of(0x1f, 0x8b, 8, FLAGS.name, 0, 0, 0, 0, 0, 3), Buffer.alloc(99, 'n')]),
    BROKEN,
  ],
  'with a byte order mark inside': [gzipSync(`\ufeff${text}`), BROKEN],
  'with UTF-16 inside': [gzipSync(Buffer.from(`\ufeff${text}`, 'utf16le')), BROKEN],
  'zlib, not gzip': [deflateSync(text), ['unsupported-media-type'], BROKEN],
  'no gzip at all': [text, ['unsupported-media-type'], 'created'],
  'a thousandfold bomb of 5 MiB': [bomb(5), ['too-large']],
  'a thousandfold bomb of 200 MiB': [bomb(200), ['too-large']],
  'a bomb in gzip': [gzipSync(bomb(200)), ['too-large'], BROKEN],
};

describe('gzip', async () => {
  const gateway = await startGateway();
  afterAll(() => gateway.stop());
  const api = new Api({ ...gateway, name: 'hostile gzip' });

  it.each(Object.entries(STREAMS))('%s', async (_, [body, told, untold = told]) => {
    await expectFate(body, 'gzip', told);
    await expectFate(body, null, untold);
  });

  async function expectFate(body: Uint8Array, encoding: string | null, fate: Fate): Promise<void> {
    const answer = await api.post(undefined, '', { body, headers: { 'content-encoding': encoding } });
    if (fate === 'created') return void projectIn(answer, 201);
    const [problem, fault] = fate;
    const { errors = [] } = expectProblem(answer, problem);
    expect(errors.map(({ code }) => code)).toEqual(fault === undefined ? [] : [fault]);
  }
});
