import { gzipSync } from 'node:zlib';
import { smallProject } from '../../support/projects.ts';
import type { Exchange, Given, Made } from './fact.ts';

/** So many bytes of value 0. */
export function zeros(count: number): Made {
  return { command: `head -c ${count} /dev/zero`, bytes: () => Buffer.alloc(count) };
}

/** So many times the letter x. */
export function letters(count: number): Made {
  return { command: `head -c ${count} /dev/zero | tr '\\0' x`, bytes: () => Buffer.alloc(count, 'x') };
}

/** What the page calls `p.json`, compressed. */
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

/** Sends a body as JSON to where projects are made, which checks it only where the query says so. */
export function post(
  body: string | Made,
  headers: NonNullable<Exchange['headers']>,
  { query = '', ...rest }: Pick<Exchange, 'sees' | 'anonymous'> & { readonly query?: string },
): Exchange {
  return { method: 'POST', path: `/segments/projects${query}`, headers: [JSON_TYPE, ...headers], body, ...rest };
}
