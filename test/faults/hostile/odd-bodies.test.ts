import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inUtc } from '../../../lib/contract/date.ts';
import type { CheckedProject } from '../../../lib/contract/project.ts';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { createProject } from '../../../lib/http/operations/create-project.ts';
import type { Transport } from '../../../lib/service/http-client/transport.ts';
import { readUpstreamCredentials } from '../../../lib/upstream/authorization.ts';
import { randomFrom } from '../../../local/simulator/random.ts';
import { contextOf, eventOf, readAnswer } from '../../lib/http/fixture.ts';
import { ACCOUNT, World } from '../../lib/upstream/world.ts';
import { project } from '../../support/arbitraries.ts';
import { MUCH_WORK_MS } from '../../support/much-work.ts';
import { OddWriter } from './odd-writer.ts';
import { canonical, type Meaning, readStrictly, withoutNull } from './strict-json.ts';

const BODIES = 10_000;
/** Of so many projects the smaller half: all of them together have every field. */
const PROJECTS = 400;
const SEED = 20_261_120;

/** All that a body passes, up to a service that keeps what arrives, and refuses it. */
function recording() {
  const world = new World(Date.now());
  const arrived: string[] = [];
  const checked: CheckedProject[] = [];
  const transport: Transport = async ({ body = '' }) => {
    arrived.push(Buffer.from(body).toString());
    return { status: 422, headers: {}, body: new Uint8Array() };
  };
  const secret = async () => JSON.stringify(ACCOUNT);
  const credentials = cachedSecret(secret, readUpstreamCredentials, { now: world.now });
  const segue = world.service({ transport, credentials });
  const create = createProject(
    {
      ...segue,
      create(asked, call) {
        checked.push(asked);
        return segue.create(asked, call);
      },
    },
    { now: world.now, log: () => {} },
  );
  return { create, arrived, checked };
}

/** A project's meaning without its custom id, which is another one at the service, and with its dates in UTC. */
function nameless(meaning: Meaning): string {
  if (!(meaning instanceof Map)) throw new TypeError('A project is an object');
  const entries = [...meaning].filter(([name]) => name !== 'customId');
  return canonical(withoutNull(new Map(entries.map(([name, value]) => [name, inUtcIfDate(name, value)]))));
}

function inUtcIfDate(name: string, value: Meaning): Meaning {
  return name.endsWith('DateUtc') && typeof value === 'string' ? inUtc(value) : value;
}

function customIdIn(meaning: Meaning): Meaning | undefined {
  return meaning instanceof Map ? meaning.get('customId') : undefined;
}

/** The bytes of a value as JSON, and those of a body without gzip. */
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const plain = (body: Uint8Array) => (body[0] === 0x1f ? gunzipSync(body) : body);

test(`what arrives is what was checked and what was meant: ${BODIES} odd bodies`, {
  timeout: MUCH_WORK_MS,
}, async () => {
  const { create, arrived, checked } = recording();
  const sampled = fc.sample(project(), { numRuns: PROJECTS, seed: SEED });
  const length = (value: unknown) => JSON.stringify(value).length;
  const projects = sampled.sort((one, other) => length(one) - length(other)).slice(0, PROJECTS / 2);
  const counts = { accepted: 0, refused: 0 };
  for (let n = 0; n < BODIES; n++) {
    const random = randomFrom(SEED + n);
    const customId = random.pick([null, `odd ${n}`, `${'\u{1f469}\u200d\u{1f4bb}/%2F '.repeat(12)}${n}`]);
    const written = new OddWriter(random).body({ ...random.pick(projects), customId });
    const answer = readAnswer(await create(eventOf('createProject', { body: written }), contextOf()));
    const [body] = arrived.splice(0);
    const [accepted] = checked.splice(0);
    if (body === undefined) {
      counts.refused++;
      expect(answer.status).toBeOneOf([400, 500]);
      continue;
    }
    counts.accepted++;
    const received = readStrictly(Buffer.from(body));
    const meant = readStrictly(plain(written));
    expect({ n, what: nameless(received) }).toEqual({ n, what: nameless(meant) });
    expect({ n, what: nameless(received) }).toEqual({ n, what: nameless(readStrictly(bytesOf(accepted))) });
    expect(customIdIn(received)).toMatch(customIdIn(meant) ? /^segue\.acme\.[nh]\./ : /^segue\.acme\.g\./);
  }
  expect(counts.accepted).toBeGreaterThan(BODIES / 2);
  expect(counts.refused).toBeGreaterThan(BODIES / 10);
});
