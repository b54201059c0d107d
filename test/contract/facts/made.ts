import { gzipSync } from 'node:zlib';
import { smallProject } from '../../support/projects.ts';
import type { Exchange, Given, Made } from './fact.ts';

/** Returns a number of zero bytes. */
export function zeros(count: number): Made {
  return { command: `head -c ${count} /dev/zero`, bytes: () => Buffer.alloc(count) };
}

/** Returns a number of letters x. */
export function letters(count: number): Made {
  return { command: `head -c ${count} /dev/zero | tr '\\0' x`, bytes: () => Buffer.alloc(count, 'x') };
}

/** The file that the page calls `p.json`, compressed. */
export const PACKED_PROJECT: Made = {
  command: 'gzip <p.json',
  bytes: () => gzipSync(JSON.stringify(smallProject())),
};

export const BROKEN_OFF: Made = {
  command: `${PACKED_PROJECT.command} | head -c 60`,
  bytes: () => PACKED_PROJECT.bytes().subarray(0, 60),
};

export const PACKED_ZEROS: Made = {
  command: `${zeros(10_485_761).command} | gzip`,
  bytes: () => gzipSync(zeros(10_485_761).bytes()),
};

export const ANY_PROJECT: Given = { words: 'any project', fields: () => ({}) };

const JSON_TYPE = ['Content-Type', 'application/json'] as const;

/** Posts a body as JSON to `/segments/projects`. The query decides whether Segue only checks the project. */
export function post(
  body: string | Made,
  headers: NonNullable<Exchange['headers']>,
  { query = '', ...rest }: Pick<Exchange, 'sees' | 'anonymous'> & { readonly query?: string },
): Exchange {
  return { method: 'POST', path: `/segments/projects${query}`, headers: [JSON_TYPE, ...headers], body, ...rest };
}
