import { join } from 'node:path';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { putEvents } from '../../lib/aws/event-bridge.ts';
import { DomainEvent, EVENT_TYPES, EventData, PublishedEvent, publishedEvent } from '../../lib/contract/event.ts';
import { FEED_PREFIX } from '../../lib/records/feed-record.ts';
import { eventsPartition } from '../../lib/records/outbox.ts';
import { signStandard } from '../../lib/signatures/sign-standard.ts';
import { NOWHERE } from '../support/aws/dynamodb.ts';
import { blocks, commandsOf, optionsOf, ROOT, read, SEGUE } from './world.ts';

const PAGE = read('docs/events.md');
const Example = z.strictObject({
  source: z.string(),
  'detail-type': z.string(),
  time: z.string(),
  detail: DomainEvent,
});
type IsSigned = (headers: Readonly<Record<string, string>>, body: string, secret: string) => boolean;
const Entry = z.object({ Source: z.string(), DetailType: z.string(), Detail: z.string(), Time: z.number() });
const Put = z.object({ Entries: z.array(Entry) });

/**
 * Puts events onto a bus that refuses those with a code.
 * @returns the events that the bus received, and the result
 */
async function put(events: readonly DomainEvent[], codes: readonly (string | undefined)[] = []) {
  let entries: z.infer<typeof Entry>[] = [];
  const handle = async ({ body }: { readonly body?: unknown }) => {
    entries = Put.parse(JSON.parse(new TextDecoder().decode(z.parse(z.instanceof(Uint8Array), body)))).Entries;
    const Entries = entries.map((_, n) => (codes[n] === undefined ? { EventId: `${n}` } : { ErrorCode: codes[n] }));
    return { response: { statusCode: 200, headers: {}, body: Buffer.from(JSON.stringify({ Entries })) } };
  };
  const client = new EventBridgeClient({ ...NOWHERE, requestHandler: { handle } });
  return { published: await putEvents('the-bus', client, events), entries };
}

const [published = '', onBus = ''] = blocks(PAGE, 'json');
const example = Example.parse(JSON.parse(onBus));

it('docs/alarms.md lists the records of events by their keys', () => {
  const values = `":company": { "S": "${eventsPartition('acme')}" }, ":event": { "S": "${FEED_PREFIX}" }`;
  expect(read('docs/alarms.md')).toContain(values);
});

describe('docs/events.md', () => {
  it('shows an event as Segue puts it onto the bus', async () => {
    const { entries } = await put([example.detail]);
    // The bus has whole seconds.
    const seconds = Date.parse(example.time) / 1_000;
    expect(
      entries.map((entry) => ({ ...entry, Detail: JSON.parse(entry.Detail), Time: Math.floor(entry.Time) })),
    ).toEqual([{ Source: example.source, DetailType: example['detail-type'], Detail: example.detail, Time: seconds }]);
    expect(Math.floor(Date.parse(example.detail.atUtc) / 1_000)).toBe(seconds);
  });

  it('shows the same event as partners get it', () => {
    expect(PublishedEvent.parse(JSON.parse(published))).toEqual(publishedEvent(DomainEvent.parse(example.detail)));
  });

  it('shows a function that verifies signatures', async () => {
    expect(blocks(PAGE, 'js')).toEqual([read('examples/receiver/is-signed.mjs')]);
    const IsSigned = z.object({ isSigned: z.custom<IsSigned>((value) => typeof value === 'function') });
    const { isSigned } = IsSigned.parse(await import(join(ROOT, 'examples/receiver/is-signed.mjs')));
    const [one = '', two = '', other = ''] = ['one', 'two', 'other'].map((name) => `whsec_${btoa(name.repeat(9))}`);
    const sign = (atMs: number) => signStandard([one, two], { id: 'e1', atMs, body: published }) ?? {};
    const now = sign(Date.now());
    expect([one, two, other].map((secret) => isSigned(now, published, secret))).toEqual([true, true, false]);
    expect(isSigned(now, `${published} `, one)).toBe(false);
    expect(isSigned({ ...now, 'webhook-id': 'e2' }, published, one)).toBe(false);
    expect(isSigned({}, published, one)).toBe(false);
    expect(
      [-299, 299, -301, 301].map((seconds) => isSigned(sign(Date.now() + seconds * 1_000), published, one)),
    ).toEqual([true, true, false, false]);
  });

  it('has every command for events and every option of it', () => {
    const commands = SEGUE.commands.filter((command) => command.name() === 'events');
    const inTables = [...PAGE.matchAll(/^\| `npx --no-install segue (events [^`]+)` \|/gm)].map(
      ([, command]) => command,
    );
    expect(new Set(inTables)).toEqual(new Set(commands.flatMap((command) => commandsOf(command))));
    const options = optionsOf(commands.flatMap((group) => group.commands));
    expect(PAGE.match(/(?<= |`)--[a-z-]+/g)).toEqual(expect.arrayContaining([...options]));
  });

  it('has every field and every type of an event, and no other', () => {
    const fields = [...PAGE.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(fields).toEqual(Object.keys(DomainEvent.shape));
    const types = [...PAGE.matchAll(/^\| `([a-z]+\.[a-z-]+)` \| [^|]+ \|([^|]*)\|$/gm)];
    expect(types.map(([, type]) => type)).toEqual(EVENT_TYPES);
    const data = types.flatMap(([, , names = '']) => names.match(/\w+/g) ?? []);
    expect(new Set(['projectId', ...data])).toEqual(new Set(Object.keys(EventData.shape)));
  });
});

it('an event that the bus refuses is reported', async () => {
  const events = [example.detail, example.detail, example.detail];
  expect((await put(events)).published).toEqual({ taken: 3 });
  const { published } = await put(events, [undefined, 'ThrottlingException', undefined]);
  expect(published).toMatchObject({ taken: 1, failure: { name: 'EventRefused', code: 'ThrottlingException' } });
});
