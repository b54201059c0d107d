import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type KeyRecord, keyGuard, keyRecordKey, storedKeys } from '../../../lib/credentials/key-directory.ts';
import { hostedService } from '../../../lib/hosted/service.ts';
import type { CallContext, ProjectService } from '../../../lib/service/port.ts';
import { dynamoDbStorage } from '../../../lib/storage/dynamodb/storage.ts';
import { DynamoDbStandIn, type Operation } from '../../support/aws/dynamodb.ts';
import { S3StandIn } from '../../support/aws/s3.ts';
import { type JsonObject, realProject, segments } from '../../support/projects.ts';
import { callContext, checked, NOW_MS } from '../support.ts';

/** Whose credentials told the version of its key: to ask for it would be a call more. */
const call: CallContext = { ...callContext(), companyId: 'acme', requestedBy: { kind: 'key', id: 'k' }, keyVersion: 1 };
const withKey = (key: string): CallContext => ({ ...call, idempotency: { key, replayed: () => {} } });
const whole = { kind: 'project' } as const;
const KEY: KeyRecord = { hash: '', scopes: [], state: 'active', createdAtUtc: new Date(NOW_MS).toISOString() };

let dynamoDb: DynamoDbStandIn;
let s3: S3StandIn;
let service: ProjectService;

beforeEach(async () => {
  dynamoDb = new DynamoDbStandIn();
  s3 = new S3StandIn();
  const { client, tableName: table } = dynamoDb;
  const now = () => NOW_MS;
  const storage = dynamoDbStorage({ table, client, objects: s3.objects, now, newId: randomUUID });
  await storage.commit({ writes: [{ kind: 'insert', key: keyRecordKey('acme', 'k'), data: KEY }] });
  service = hostedService({ storage, now, random: Math.random, guard: keyGuard(storedKeys(storage)) });
});

/** The calls that some work makes, those of S3 as `S3`. */
async function callsOf(work: () => Promise<unknown>): Promise<(Operation | 'S3')[]> {
  const [before, s3Before] = [dynamoDb.calls.length, s3.calls];
  await work();
  return [...dynamoDb.calls.slice(before), ...Array.from({ length: s3.calls - s3Before }, () => 'S3' as const)];
}

const now = { startDateUtc: new Date(NOW_MS).toISOString(), endDateUtc: '2059-01-01T00:00:00Z' };

describe.each<[string, () => JsonObject]>([
  ['a small project', () => ({ customId: 'ours' })],
  ['a project of 2,000 segments', () => ({ customId: 'ours', segments: segments(2_000) })],
  ['a real project of 3.7 MB', () => ({ ...realProject('cldr-large'), ...now, customId: 'ours' })],
])('of AWS, %s', (_, fields) => {
  it('is created by one call, and with a key by two more', async () => {
    expect(await callsOf(() => service.create(checked(fields()), call))).toEqual(['TransactWriteItems']);
    await service.delete({ customId: 'ours' }, whole, call);
    expect(await callsOf(() => service.create(checked(fields()), withKey('k')))).toEqual([
      'GetItem',
      'TransactWriteItems',
      'TransactWriteItems',
    ]);
  });

  it('is read by one call, and by its custom id by one more', async () => {
    const { id } = await service.create(checked(fields()), call);
    expect(await callsOf(() => service.get({ id }, undefined, call))).toEqual(['BatchGetItem']);
    const byCustomId = () => service.get({ customId: 'ours' }, undefined, call);
    expect(await callsOf(byCustomId)).toEqual(['GetItem', 'BatchGetItem']);
  });

  it('is deleted by two calls, by its custom id by one more, with a key by three more', async () => {
    const { id } = await service.create(checked(fields()), call);
    const remove = ['GetItem', 'TransactWriteItems'];
    expect(await callsOf(() => service.delete({ id }, whole, call))).toEqual(remove);
    await service.create(checked(fields()), call);
    expect(await callsOf(() => service.delete({ customId: 'ours' }, whole, call))).toEqual(['GetItem', ...remove]);
    const next = await service.create(checked(fields()), call);
    const withOne = () => service.delete({ id: next.id }, whole, withKey('d'));
    // The API key is looked at first: without it nobody is told of an earlier request.
    expect(await callsOf(withOne)).toEqual(['GetItem', 'GetItem', 'TransactWriteItems', ...remove]);
  });
});

it('a project that is too large for the table takes two more calls to be created, one more to be read', async () => {
  const content = randomBytes(400_000).toString('base64');
  const create = () => service.create(checked({ customId: 'ours', segments: [{ content }] }), call);
  expect(await callsOf(create)).toEqual(['TransactWriteItems', 'TransactWriteItems', 'S3']);
  const ref = { customId: 'ours' };
  expect(await callsOf(() => service.get(ref, undefined, call))).toEqual(['GetItem', 'BatchGetItem', 'S3']);
  expect(await callsOf(() => service.delete(ref, whole, call))).toEqual(['GetItem', 'GetItem', 'TransactWriteItems']);
});

it('a page of projects takes one call, however many segments they have', async () => {
  for (let n = 0; n < 3; n++) await service.create(checked({ segments: segments(1_000) }), call);
  expect(await callsOf(() => service.list({ limit: 2 }, call))).toEqual(['Query']);
});
