import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inUtc } from '../../../lib/contract/date.ts';
import type { CheckedProject } from '../../../lib/contract/project.ts';
import { createProject } from '../../../lib/http/operations/create-project.ts';
import type { Transport } from '../../../lib/service/http-client/transport.ts';
import { randomFrom } from '../../../local/simulator/random.ts';
import { contextOf, eventOf, readAnswer } from '../../lib/http/fixture.ts';
import { World } from '../../lib/upstream/world.ts';
import { project } from '../../support/arbitraries.ts';
import { MUCH_WORK_MS } from '../../support/much-work.ts';
import { asObject } from '../../support/projects.ts';
import { OddWriter } from './odd-writer.ts';
import { standardValue } from './splice.ts';

const BODIES = 1_000;
/** Of so many projects the smaller half: all of them together have every field. */
const PROJECTS = 200;
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
  const segue = world.service(transport);
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

/** What a project means: without its custom id, which is another one upstream, without nulls, with its dates in UTC. */
function meaningOf(body: Uint8Array): unknown {
  const { customId: _, ...project } = asObject(standardValue(body)?.value);
  return JSON.parse(JSON.stringify(project), (name, value) => {
    if (name.endsWith('DateUtc')) return inUtc(String(value));
    return value === null ? undefined : value;
  });
}

/** The bytes of a value as JSON, and those of a body without gzip. */
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const plain = (body: Uint8Array) => (body[0] === 0x1f ? gunzipSync(body) : body);

it('passes on what was checked, which is what the sender meant', { timeout: MUCH_WORK_MS }, async () => {
  const { create, arrived, checked } = recording();
  const sampled = fc.sample(project(), { numRuns: PROJECTS, seed: SEED });
  const length = (value: unknown) => JSON.stringify(value).length;
  const projects = sampled.sort((one, other) => length(one) - length(other)).slice(0, PROJECTS / 2);
  const counts = { accepted: 0, refused: 0 };
  for (let n = 0; n < BODIES; n++) {
    const random = randomFrom(SEED + n);
    const customId = random.pick([null, `odd ${n}`, `${'\u{1f469}\u200d\u{1f4bb}/%2F '.repeat(12)}${n}`]);
    const writer = new OddWriter(random);
    const written = writer.body({ ...random.pick(projects), customId });
    const answer = readAnswer(await create(eventOf('createProject', { body: written }), contextOf()));
    const [body] = arrived.splice(0);
    const [accepted] = checked.splice(0);
    if (body === undefined) {
      counts.refused++;
      expect(answer.status).toBeOneOf([400, 500]);
      continue;
    }
    counts.accepted++;
    expect({ n, hasKeyTwice: writer.hasKeyTwice }).toEqual({ n, hasKeyTwice: false });
    const received = meaningOf(Buffer.from(body));
    expect({ n, received }).toEqual({ n, received: meaningOf(plain(written)) });
    expect({ n, received }).toEqual({ n, received: meaningOf(bytesOf(accepted)) });
    const sent = asObject(standardValue(plain(written))?.value)['customId'];
    expect(JSON.parse(body).customId).toMatch(sent ? /^segue\.acme\.[nh]\./ : /^segue\.acme\.g\./);
  }
  expect(counts.accepted).toBeGreaterThan(BODIES / 2);
  expect(counts.refused).toBeGreaterThan(BODIES / 10);
});
