import { describe, expect, it } from 'vitest';
import type { PublishedEvent } from '../../../lib/contract/event.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { eventDeliveryOpener } from '../../../lib/events/deliveries.ts';
import { eventSender } from '../../../lib/events/event-sender.ts';
import { openSqlite, temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { answered } from '../../../test/support/answered.ts';
import { rowsIn, segueHere } from '../../../test/support/segue.ts';

/** Creates a data folder with two companies, each of which has a failed event. */
async function world() {
  const folder = temporaryFolder();
  const store = openSqlite(Date.now, folder);
  for (const [index, companyId] of ['acme', 'other'].entries()) {
    await companiesIn(store, Date.now).register(companyId);
    const event: PublishedEvent = {
      id: `event-${index + 1}`,
      type: 'project.created',
      timestamp: '2026-11-20T09:30:00.000Z',
      sequence: 1,
      data: { projectId: 7 },
    };
    await eventDeliveryOpener(store, Date.now)({ companyId, eventUrl: 'https://canary.example/', event });
  }
  const sender = eventSender({
    store,
    secretsOf: async () => [`whsec_${Buffer.alloc(24).toString('base64')}`],
    send: async () => answered(410),
    now: () => Date.now() + 1,
    random: Math.random,
  });
  const send = () => sender.workOnDue({ remainingMs: () => 60_000 });
  await send();
  return { folder, send, events: (...args: string[]) => segueHere(folder, 'events', ...args) };
}

describe('segue events', () => {
  it('list shows failed events by company, without their URLs', async () => {
    const { events } = await world();
    const all = rowsIn((await events('list')).stdout);
    expect(all).toMatch(/^event-1 {2}acme {2}project.created {2}7 {2}\S+Z {2}1 {2}status 410$/m);
    expect(all.split('\n').filter(Boolean)).toHaveLength(2);
    expect(all).not.toContain('canary');
    expect(JSON.parse((await events('list', '--company', 'other', '--json')).stdout)).toMatchObject({
      id: 'event-2',
      companyId: 'other',
      reason: 'status',
      status: 410,
    });
  });

  it('show prints one with its URL', async () => {
    const { events } = await world();
    expect(JSON.parse((await events('show', 'event-1')).stdout)).toMatchObject({
      eventUrl: 'https://canary.example/',
      event: { id: 'event-1', data: { projectId: 7 } },
    });
    expect(await events('show', 'event-3')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no failed event'),
    });
  });

  it('resend opens one, those of a company or all again', async () => {
    const { events, send } = await world();
    expect(await events('resend', 'event-1')).toEqual({ code: 0, stdout: 'Open again: event-1\n', stderr: '' });
    expect(rowsIn((await events('list')).stdout)).toMatch(/^event-2 [^\n]+\n$/);
    expect(await send()).toMatchObject({ dead: 1, letters: 2 });
    expect((await events('resend', '--company', 'other')).stdout).toBe('Open again: event-2\n');
    expect((await events('resend', '--all')).stdout).toBe('Open again: event-1\n');
    expect(await events('resend', '--all')).toMatchObject({ stdout: '', stderr: 'No failed events found.\n' });
    for (const args of [[], ['event-1', '--all']]) expect(await events('resend', ...args)).toMatchObject({ code: 2 });
  });

  it('secret prints the newest secret of a company, and rotate the next one', async () => {
    const { events } = await world();
    const [, first = ''] = /^Event secret: (whsec_\S+)$/m.exec((await events('secret', 'acme')).stdout) ?? [];
    expect((await events('secret', 'acme')).stdout).toContain(first);
    const rotated = await events('rotate', 'acme');
    expect(rotated.stdout).toMatch(/^Event secret: whsec_\S+$/m);
    expect(rotated.stdout).toContain('events rotate acme --drop-old');
    expect(rotated.stdout).not.toContain(first);
    expect((await events('rotate', 'acme', '--drop-old')).stdout).toContain('Only the company’s newest');
    expect((await events('secret', 'other')).stdout).not.toContain(first);
  });

  it.each([['secret'], ['rotate']])('%s refuses a company that does not exist', async (command) => {
    const { events } = await world();
    expect(await events(command, 'nobody')).toMatchObject({ code: 1, stdout: '' });
  });
});
