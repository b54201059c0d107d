import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { parseJson } from '../../../lib/contract/json.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { type Answer, Api, projectIn } from '../../contract/api.ts';
import { valueAt } from '../../contract/pointer.ts';
import { expectProblem } from '../../contract/problems.ts';
import { problemOf } from '../../lib/support.ts';
import { startGateway } from '../../support/gateway.ts';
import { segment, smallProject } from '../../support/projects.ts';
import { standardValue, withBytesAt } from './splice.ts';
import { type JsonText, TEXTS, type Verdict } from './texts.ts';

/** Where a text is put into a project, and which values are legal there. */
const PLACES: readonly { readonly pointer: string; readonly isLegal: (value: unknown) => boolean }[] = [
  { pointer: '/segments/0/content', isLegal: (value) => isText(value) && value.length > 0 },
  { pointer: '/domainId', isLegal: (value) => value === null || (Number.isSafeInteger(value) && Number(value) > 0) },
  { pointer: '/surprise', isLegal: () => false },
];
/** Larger texts are sent alone. */
const MOST_BYTES_INSIDE = 65_536;

/** One of so many texts is sent to the sign-in, too. */
const SIGN_IN_EVERY = 8;

describe('a JSON text', async () => {
  const gateway = await startGateway({ env: { SEGUE_WRONG_CREDENTIALS: '99999' } });
  afterAll(() => gateway.stop());
  const api = new Api({ ...gateway, name: 'hostile texts' });
  let created = 0;

  it.each(TEXTS.map((text, n) => ({ ...text, isForSignIn: n % SIGN_IN_EVERY === 0 })))('$name', async (text) => {
    const { bytes, verdict } = text;
    await expectParsed(text);
    expectRefused(await api.post(undefined, '', { body: bytes }), verdict, '');
    if (text.isForSignIn) await expectNoToken(bytes, verdict);
    if (bytes.length > MOST_BYTES_INSIDE) return;
    for (const place of verdict === 'read' ? PLACES : PLACES.slice(-1)) await expectAt(place, text);
  });

  it('creates nothing else', async () => {
    expect(await api.list()).toHaveLength(created);
    expect(created).toBeGreaterThan(50);
  });

  async function expectParsed({ bytes, category, verdict }: JsonText): Promise<void> {
    const standard = standardValue(bytes);
    if (category !== 'i') expect(standard !== undefined).toBe(category === 'y');
    if (verdict === 'read') return expect(isDeepStrictEqual(parseJson(bytes), standard?.value)).toBe(true);
    const { name, occurrence } = await problemOf(() => parseJson(bytes));
    expect(name).toBe('malformed-json');
    expect(new Set(occurrence.errors?.map(({ code }) => code))).toEqual(new Set([verdict]));
  }

  async function expectNoToken(body: Uint8Array, verdict: Verdict): Promise<void> {
    const answer = await api.send('POST', '/authentication/token', { body, headers: { authorization: null } });
    const isRead = verdict === 'read' || body.length === 0;
    if (body.length > LIMITS.signInBytes) return void expectProblem(answer, 'too-large');
    expectProblem(answer, isRead ? 'unauthenticated' : 'malformed-json');
  }

  async function expectAt({ pointer, isLegal }: (typeof PLACES)[number], text: JsonText): Promise<void> {
    const project = smallProject({ segments: [segment(), segment()] });
    const answer = await api.post(undefined, '', { body: withBytesAt(project, pointer, text.bytes) });
    const verdict = verdictInside(text, pointer.split('/').length - 1);
    const value = standardValue(text.bytes)?.value;
    if (verdict !== 'read' || !isLegal(value)) return expectRefused(answer, verdict, pointer);
    created += 1;
    expect(valueAt(projectIn(answer, 201), pointer)).toEqual(value ?? undefined);
  }
});

/** The verdict on a text that is a value so many levels deep in another. */
function verdictInside({ bytes, verdict }: JsonText, levels: number): Verdict {
  // A byte order mark is one at the beginning alone; elsewhere it is a character that JSON has no place for.
  if (verdict === 'encoding' && isUtf8(bytes)) return 'syntax';
  if (verdict !== 'read') return verdict;
  return depthOf(standardValue(bytes)?.value) + levels > LIMITS.jsonDepth ? 'too-deep' : 'read';
}

/** Expects a text to be refused for what it is, with every fault there or inside. */
function expectRefused(answer: Answer, verdict: Verdict, place: string): void {
  const { errors = [] } = expectProblem(answer, verdict === 'read' ? 'invalid-project' : 'malformed-json');
  expect(errors.length).toBeGreaterThan(0);
  if (verdict !== 'read') expect(new Set(errors.map(({ code }) => code))).toEqual(new Set([verdict]));
  if (verdict !== 'read' && verdict !== 'duplicate-key') expect(errors.map(({ pointer }) => pointer)).toEqual(['']);
  else for (const { pointer } of errors) expect(`${pointer}/`.startsWith(`${place}/`), pointer).toBe(true);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed();
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
