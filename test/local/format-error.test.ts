import { expect, it } from 'vitest';
import { Problem } from '../../lib/contract/problem.ts';
import { SecretFileError } from '../../lib/credentials/secret-files.ts';
import { StoreNotOpened } from '../../lib/storage/sqlite/database.ts';
import { formatError } from '../../local/format-error.ts';
import { SettingsError } from '../../local/settings.ts';

const SET_PORT = 'set PORT to another port, such as PORT=8788, or PORT=0 for any free port';

const failed = (fields: object) => Object.assign(new Error('SUPERSECRET'), fields);

it.each<[unknown, string]>([
  [new SettingsError('PORT must\nbe a number'), 'PORT must be a number'],
  [new StoreNotOpened('the store has format 2'), 'the store has format 2'],
  [new SecretFileError('the file does not hold signing keys'), 'the file does not hold signing keys'],
  [failed({ code: 'EADDRINUSE', port: 80 }), `port 80 is in use by another process: ${SET_PORT}`],
  [failed({ code: 'EACCES', port: 80 }), `port 80 may not be used by this user: ${SET_PORT}`],
  [failed({ code: 'EACCES', path: '/SUPERSECRET' }), 'Segue could not start: Error EACCES'],
  [new SyntaxError('"SUPERSECRET" is not valid JSON'), 'Segue could not start: SyntaxError'],
  [failed({ name: 'SUPER SECRET' }), 'Segue could not start: Error'],
  [new Problem('unavailable', { detail: 'SUPERSECRET' }), 'Segue could not start: unavailable'],
  ['SUPERSECRET', 'Segue could not start: string'],
])('of %s a person is told in one line that nobody else wrote', (error, line) => {
  expect(formatError(error)).toBe(line);
});
