import { gzipSync } from 'node:zlib';
import type { HttpRequest } from '../../support/http.ts';

/** What strangers do at once, none of whom has credentials. */
export interface Attack {
  readonly title: string;
  /** Requests that clients send one after the other, as fast as they are answered. */
  readonly floods?: readonly HttpRequest[];
  readonly clients?: number;
  /** Request lines of uploads that go on for ever, at a rate that no client is ended for. */
  readonly uploads?: readonly string[];
}

const MIB_4 = 4_194_304;
const TOKEN = '/authentication/token';
const WEBHOOK = '/webhooks/none';

function names(): string {
  const members: string[] = [];
  for (let n = 0, length = 2; length < MIB_4 - 12; n++) {
    const member = `"${n.toString(36)}":0`;
    members.push(member);
    length += member.length + 1;
  }
  return `{${members.join(',')}}`;
}

function bomb(path: string, json: string): HttpRequest {
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  return { method: 'POST', path, headers, body: gzipSync(json) };
}

const wrongKey = (n: number) => `Basic ${Buffer.from(`sandbox:wrong-${n}`).toString('base64')}`;
const bombs = [
  bomb(TOKEN, `[${'{},'.repeat(MIB_4 / 3 - 1)}0]`),
  bomb('/authentication/RefreshToken', `[${'{},'.repeat(MIB_4 / 3 - 1)}0]`),
  bomb(WEBHOOK, ' '.repeat(MIB_4)),
];
const manyNames = [bomb(TOKEN, names())];
const wrongKeys = [1, 2, 3, 4].map((n) => ({
  method: 'GET',
  path: '/segments/projects?limit=1',
  headers: { Authorization: wrongKey(n) },
}));
const wrongSignIns = [1, 2, 3, 4].map((n) => ({
  method: 'POST',
  path: TOKEN,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ username: 'sandbox', password: `wrong-${n}` }),
}));
const uploads = Array.from({ length: 8 }, (_, n) => `POST ${n % 2 ? WEBHOOK : TOKEN}`);

/** The attacks, each alone and then all at once. */
export const ATTACKS: readonly Attack[] = [
  { title: 'nobody' },
  { title: 'gzip bombs of 4 KB', floods: bombs, clients: 4 },
  { title: 'gzip of 450,000 names', floods: manyNames, clients: 4 },
  { title: 'wrong keys', floods: wrongKeys, clients: 8 },
  { title: 'wrong sign-ins', floods: wrongSignIns, clients: 8 },
  { title: 'eight slow uploads', uploads },
  { title: 'all of these', floods: [...bombs, ...manyNames, ...wrongKeys, ...wrongSignIns], clients: 8, uploads },
];
