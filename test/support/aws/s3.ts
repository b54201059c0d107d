import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { type Objects, objectsIn, s3Client } from '../../../lib/storage/dynamodb/objects.ts';
import { NOWHERE } from './dynamodb.ts';

const Request = z.object({
  method: z.enum(['PUT', 'GET', 'POST']),
  path: z.string(),
  query: z.record(z.string(), z.string()),
  headers: z.record(z.string(), z.string()),
  body: z.optional(z.union([z.instanceof(Uint8Array), z.string()])),
});

interface Version {
  readonly key: string;
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** The size of a page of a list. It is smaller than S3's, so that a test sees whether further pages are read. */
const PAGE = 2;

/**
 * S3 in memory, with one bucket that keeps every version. It has a client of the SDK, whose requests are answered here.
 */
export class S3StandIn {
  readonly bucket: string;
  readonly objects: Objects;
  /** Every version of every object. */
  versions: readonly Version[] = [];
  /** The number of requests. */
  calls = 0;
  readonly #broken: ('before' | 'after')[] = [];
  readonly #kept: string[] = [];
  #ids = 0;

  constructor(bucket = 'bucket') {
    this.bucket = bucket;
    this.objects = objectsIn(this.bucket, this.newClient());
  }

  newClient(): S3Client {
    const handle = async (request: unknown) => ({ response: this.respond(request) });
    return s3Client({ ...NOWHERE, forcePathStyle: true, requestHandler: { handle } });
  }

  /** Writes a version, whether or not there is one. */
  write(key: string, bytes: Uint8Array): void {
    this.versions = [...this.versions, { key, id: String(++this.#ids), bytes }];
  }

  /** Makes the next requests get no answer, before or after their effect. */
  break(...when: readonly ('before' | 'after')[]): void {
    this.#broken.push(...when);
  }

  /**
   * Makes the next deletions fail: S3 refuses them.
   * @param codes the codes in the body of the answer, whose status is 200
   */
  keep(...codes: readonly string[]): void {
    this.#kept.push(...codes);
  }

  /**
   * Answers a request.
   * @throws if the connection breaks
   */
  respond(given: unknown) {
    const request = Request.parse(given);
    this.calls++;
    const when = this.#broken.shift();
    const answer = when === 'before' ? undefined : this.#do(request);
    if (when !== undefined || !answer) throw Object.assign(new Error('No answer'), { code: 'ECONNRESET' });
    return answer;
  }

  #do({ method, path, query, headers, body }: z.infer<typeof Request>) {
    const key = decodeURIComponent(path.slice(`/${this.bucket}/`.length));
    if (method === 'POST') return this.#delete(String(body));
    if ('versions' in query) return this.#list(query);
    const last = this.versions.findLast((version) => version.key === key);
    if (method === 'GET') return last ? content(last, headers) : failure(404, 'NoSuchKey');
    if (last && headers['if-none-match'] === '*') return failure(412, 'PreconditionFailed');
    this.write(key, Buffer.from(body ?? ''));
    return response(200, '');
  }

  #list({ prefix = '', 'version-id-marker': after = '0' }: Readonly<Record<string, string>>) {
    const found = this.versions.filter(({ key, id }) => key.startsWith(prefix) && Number(id) > Number(after));
    const page = found.slice(0, PAGE);
    const entries = page.map(({ key, id }) => `<Version><Key>${key}</Key><VersionId>${id}</VersionId></Version>`);
    const last = page.at(-1);
    const next =
      last && `<NextKeyMarker>${last.key}</NextKeyMarker><NextVersionIdMarker>${last.id}</NextVersionIdMarker>`;
    const more = `<IsTruncated>${found.length > PAGE}</IsTruncated>${next ?? ''}`;
    return response(200, `<ListVersionsResult>${more}${entries.join('')}</ListVersionsResult>`);
  }

  #delete(xml: string) {
    const code = this.#kept.shift();
    if (code !== undefined) {
      return response(200, `<DeleteResult><Error><Key>any</Key><Code>${code}</Code></Error></DeleteResult>`);
    }
    const named = [...xml.matchAll(/<Key>([^<]*)<\/Key><VersionId>([^<]*)<\/VersionId>/g)];
    const isNamed = (version: Version) => named.some(([, key, id]) => key === version.key && id === version.id);
    this.versions = this.versions.filter((version) => !isNamed(version));
    return response(200, '<DeleteResult></DeleteResult>');
  }
}

/** Returns an object, or the requested part of it. */
function content({ id, bytes }: Version, headers: Readonly<Record<string, string>>) {
  const ETag = `"${id}"`;
  if ((headers['if-match'] ?? ETag) !== ETag) return failure(412, 'PreconditionFailed');
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers['range'] ?? '') ?? [];
  if (first === undefined) return response(200, bytes, { ETag });
  if (Number(first) >= bytes.length) return failure(416, 'InvalidRange');
  return response(206, bytes.subarray(Number(first), Number(last) + 1), { ETag });
}

function response(statusCode: number, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) {
  const content = Buffer.from(body);
  const length = { 'content-length': String(content.length) };
  return { statusCode, headers: { ...length, ...headers }, body: Readable.from([content]) };
}

function failure(statusCode: number, code: string) {
  return response(statusCode, `<Error><Code>${code}</Code></Error>`);
}
