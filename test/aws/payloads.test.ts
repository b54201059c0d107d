import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../lib/contract/limits.ts';
import { s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { objectsInS3 } from '../../lib/workflow/projects-in-s3.ts';
import { expectProblem } from '../lib/support.ts';

const client = s3Client();
const bucket = `exports-${randomUUID()}`;
const deadline = { remainingMs: () => 20_000 };
const read = async (object: { bucket?: string; key: string; versionId?: string }) =>
  Buffer.from(await objectsInS3(client)({ bucket, ...object }, deadline)).toString();
const put = async (key: string, body: string | Uint8Array) =>
  (await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }))).VersionId;

beforeAll(async () => {
  const region = { LocationConstraint: 'eu-central-1' } as const;
  await client.send(new CreateBucketCommand({ Bucket: bucket, CreateBucketConfiguration: region }));
  const versioned = { Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } } as const;
  await client.send(new PutBucketVersioningCommand(versioned));
});
afterAll(() => client.destroy());

it('reads an object by any key, in its current and an older version', async () => {
  const key = 'a/b c/ü+%2F.json';
  const first = await put(key, '"first"');
  await put(key, '"second"');
  expect(await read({ key })).toBe('"second"');
  expect(await read({ key, ...(first !== undefined && { versionId: first }) })).toBe('"first"');
});

it('refuses a missing object, version or bucket', async () => {
  await put('gone.json', '{}');
  await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: 'gone.json' }));
  await expectProblem('invalid-parameter', () => read({ key: 'gone.json' }));
  await expectProblem('invalid-parameter', () => read({ key: 'none.json' }));
  await expectProblem('invalid-parameter', () => read({ bucket: 'exports-of-nobody', key: 'x' }));
  const versionId = randomUUID();
  await put('there.json', '{}');
  await expectProblem('invalid-parameter', () => read({ key: 'there.json', versionId }));
});

it('refuses an object larger than a body', async () => {
  await put('most.json', Buffer.alloc(LIMITS.bodyBytes, ' '));
  await put('more.json', Buffer.alloc(LIMITS.bodyBytes + 1, ' '));
  expect(await read({ key: 'most.json' })).toHaveLength(LIMITS.bodyBytes);
  await expectProblem('too-large', () => read({ key: 'more.json' }));
});
