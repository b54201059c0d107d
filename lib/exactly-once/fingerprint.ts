import { createHash } from 'node:crypto';

/** The SHA-256 of a JSON value, whatever the order of its keys. */
export function fingerprintOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url');
}

/** JSON with the keys of every object in order, and without what JSON has no word for. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isPlain(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
