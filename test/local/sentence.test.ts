import { expect, test } from 'vitest';
import { Problem } from '../../lib/contract/problem.ts';
import { SigningKeysUnusable } from '../../lib/credentials/signing-keys-file.ts';
import { StoreNotOpened } from '../../lib/storage/sqlite/database.ts';
import { SettingsError } from '../../local/environment.ts';
import { sentence } from '../../local/sentence.ts';

const failed = (fields: object) => Object.assign(new Error('SUPERSECRET'), fields);

test.each<[unknown, string]>([
  [new SettingsError('PORT must\nbe a number'), 'PORT must be a number'],
  [new StoreNotOpened('the store has format 2'), 'the store has format 2'],
  [new SigningKeysUnusable('the file does not hold signing keys'), 'the file does not hold signing keys'],
  [failed({ code: 'EADDRINUSE', port: 80 }), 'the port is in use: set PORT to another one, or to 0'],
  [failed({ code: 'EACCES', port: 80 }), 'the port may not be used: set PORT'],
  [failed({ code: 'EACCES', path: '/SUPERSECRET' }), 'Segue could not start: Error EACCES'],
  [new SyntaxError('"SUPERSECRET" is not valid JSON'), 'Segue could not start: SyntaxError'],
  [failed({ name: 'SUPER SECRET' }), 'Segue could not start: Error'],
  [new Problem('unavailable', { detail: 'SUPERSECRET' }), 'Segue could not start: unavailable'],
  ['SUPERSECRET', 'Segue could not start: string'],
])('of %s a person is told in one line that nobody else wrote', (error, line) => {
  expect(sentence(error)).toBe(line);
});
