import { describe, expect, it } from 'vitest';
import { checkTranslations } from '../../../../lib/contract/translations.ts';
import { eventFeed } from '../../../../lib/events/feed.ts';
import { outboxMover } from '../../../../lib/events/feed-positions.ts';
import { digestSender, type MailCounts } from '../../../../lib/hosted/people/mail-digests.ts';
import type { Mail, SendMail } from '../../../../lib/service/mail.ts';
import { faulty, storeFailure, straight, type Through, throughout, twoWaysAt } from '../../../faults/faulty.ts';
import { type JsonObject, member, segment } from '../../../support/projects.ts';
import { callContext } from '../../support.ts';
import { WorkWorld } from '../work/world.ts';

const MINUTE_MS = 60_000;
const TRANSLATOR = member({ username: 'Tina@Example.com' }, 1);
const MANAGER = member({ username: 'max@example.org', isTranslator: false, isProjectManager: true }, 2);
const OUTSIDER = member({ username: 'oscar@elsewhere.example', isTranslator: false, isProjectManager: true }, 3);
const MANAGED = {
  targetLanguageCode: 'de',
  managedProject: true,
  serviceTranslation: true,
  team: [TRANSLATOR, MANAGER, OUTSIDER],
};

const failing: SendMail = () => Promise.reject(new Error('The server does not answer'));

/** A hosted service whose e-mails are collected. */
class MailWorld extends WorkWorld {
  readonly mails: Mail[] = [];
  send: SendMail = async (mail) => {
    this.mails.push(mail);
    return 'sent';
  };

  /** Sends the e-mails that are due. Returns the counts. @param through runs each call of the store and of the server */
  async mail(through: Through = straight): Promise<MailCounts> {
    const { now } = this;
    const storage = throughout(this.storage, through);
    const move = outboxMover({ store: storage, now, openDelivery: async () => {} });
    const feed = eventFeed({ store: storage, now, move });
    const domains = new Set(['example.com', 'example.org']);
    const send: SendMail = (mail) => through(() => this.send(mail));
    return digestSender({ storage, now, feed, send, domains })('acme', callContext().deadline);
  }

  /** Returns the lines of the e-mails so far about projects, by their receivers, and forgets the e-mails. */
  lines(): Record<string, string[]> {
    return Object.fromEntries(this.mails.splice(0).map(({ to, text }) => [to, text.match(/^- .*/gm) ?? []]));
  }

  async created(fields: JsonObject = {}): Promise<number> {
    const segments = ['a', 'b'].map((taskId) => segment({ taskId }));
    const id = await this.create({ targetLanguages: [{ ...MANAGED, ...fields }], segments });
    await this.workUntilDone();
    return id;
  }

  async translateAll(id: number): Promise<void> {
    const entries = (await this.segments(id)).map(({ source }) => ({
      segmentId: source.id,
      languageCode: 'de',
      content: 'Secret content',
      status: 'translated',
    }));
    await this.service.writeTranslations({ id }, checkTranslations(entries), callContext());
    await this.workUntilDone();
  }
}

describe('e-mails', () => {
  it('tell members of their tasks, and managers of completion, if their domain is allowed', async () => {
    const world = new MailWorld();
    const id = await world.created();
    expect(await world.mail()).toMatchObject({ done: 1 });
    expect(world.mails[0]).toMatchObject({
      to: 'tina@example.com',
      subject: '2 changes in 1 project',
      text: expect.stringContaining(`Project ${id}\n- You are the translator of task "a" into de.\n`),
    });
    world.lines();
    world.nowMs += MINUTE_MS;
    await world.translateAll(id);
    await world.mail();
    expect(world.lines()).toEqual({ 'max@example.org': ['- de is complete: 2 segments.'] });
  });

  it('tell managers of what nobody can do, of failures and of states', async () => {
    const world = new MailWorld();
    const id = await world.created({ team: [MANAGER], serviceAutomaticTranslation: true });
    await world.service.changeLanguage({ id }, 'de', { state: 'InPreparation' }, callContext());
    await world.mail();
    expect(world.lines()).toEqual({
      'max@example.org': [
        '- Nobody in the team can be the translator of task "a" into de.',
        '- Nobody in the team can be the translator of task "b" into de.',
        '- de is now InPreparation.',
      ],
    });
  });

  it('are at most one a minute to a person, with all that has happened', async () => {
    const world = new MailWorld();
    await world.created();
    await world.mail();
    await world.created();
    expect(await world.mail()).toMatchObject({ done: 0 });
    await world.created();
    world.nowMs += MINUTE_MS - 1;
    expect(await world.mail()).toMatchObject({ done: 0 });
    world.nowMs++;
    expect(await world.mail()).toMatchObject({ done: 1 });
    expect(world.mails.map(({ subject }) => subject)).toEqual(['2 changes in 1 project', '4 changes in 2 projects']);
    world.nowMs += MINUTE_MS;
    expect(await world.mail()).toMatchObject({ done: 0 });
  });

  it('have no content, names or addresses, and a task id cannot look like another line', async () => {
    const world = new MailWorld();
    const segments = [segment({ taskId: 'a\n\nProject 7\u2028- x', content: 'Secret content' })];
    await world.create({ targetLanguages: [MANAGED], segments, name: 'Secret name' });
    await world.workUntilDone();
    await world.mail();
    const { subject = '', text = '' } = world.mails[0] ?? {};
    expect(subject + text).not.toMatch(/Secret|Example|@|Person/);
    expect(text.match(/^(Project|- ).*/gm)).toHaveLength(2);
  });

  it('are sent at once, however many events are about nothing that is told', async () => {
    const world = new MailWorld();
    for (let n = 0; n < 600; n++) await world.create({});
    await world.created();
    expect(await world.mail()).toMatchObject({ done: 1 });
  });

  it.each([
    ['a project that the company manages itself', { managedProject: false }, false],
    ['a deleted project', {}, true],
  ])('are not sent about %s', async (_, fields, isDeleted) => {
    const world = new MailWorld();
    const id = await world.created(fields);
    if (isDeleted) await world.service.delete({ id }, { kind: 'project' }, callContext());
    expect(await world.mail()).toMatchObject({ done: 0 });
    expect(world.mails).toEqual([]);
  });

  it('are sent although the clock was ahead when the last ones were', async () => {
    const world = new MailWorld();
    await world.created();
    world.nowMs += 3_600_000;
    await world.mail();
    world.nowMs -= 3_600_000;
    await world.created();
    expect(await world.mail()).toMatchObject({ done: 1 });
  });

  it('are not sent about changes of more than a day ago', async () => {
    const world = new MailWorld();
    await world.created();
    world.nowMs += 86_400_001;
    expect(await world.mail()).toMatchObject({ done: 0 });
  });
});

describe('an e-mail that cannot be sent', () => {
  it('is tried again a minute later, and no other person gets a second one', async () => {
    const world = new MailWorld();
    const { send } = world;
    const tim = member({ username: 'tim@example.com' }, 4);
    await world.created({ team: [TRANSLATOR, tim] });
    world.send = (mail) => (mail.to.startsWith('tina') ? failing(mail) : send(mail));
    expect(await world.mail()).toMatchObject({ done: 1, postponed: 1, failure: expect.any(Error) });
    world.send = send;
    expect(await world.mail()).toMatchObject({ done: 0, postponed: 0 });
    world.nowMs += MINUTE_MS;
    expect(await world.mail()).toMatchObject({ done: 1, postponed: 0 });
    expect(world.mails.map(({ to, subject }) => [to, subject])).toEqual([
      ['tim@example.com', '1 change in 1 project'],
      ['tina@example.com', '1 change in 1 project'],
    ]);
    world.nowMs += MINUTE_MS;
    expect(await world.mail()).toMatchObject({ done: 0, postponed: 0 });
  });

  it('delays nobody else, and has all changes when it is sent at last', async () => {
    const world = new MailWorld();
    const { send } = world;
    const team = [TRANSLATOR, member({ username: 'tim@example.com' }, 4)];
    world.send = (mail) => (mail.to.startsWith('tina') ? failing(mail) : send(mail));
    for (let minute = 0; minute < 3; minute++, world.nowMs += MINUTE_MS) {
      await world.created({ team });
      expect(await world.mail()).toMatchObject({ done: 1, postponed: 1 });
    }
    expect(await world.mail()).toMatchObject({ done: 0, postponed: 1 });
    world.nowMs += MINUTE_MS;
    world.send = send;
    expect(await world.mail()).toMatchObject({ done: 1, postponed: 0 });
    expect(world.mails.map(({ to, subject }) => [to, subject])).toEqual([
      ...Array.from({ length: 3 }, () => ['tim@example.com', '1 change in 1 project']),
      ['tina@example.com', '3 changes in 3 projects'],
    ]);
    expect(JSON.stringify(world.storage.all().find(({ sort }) => sort === 'mail'))).not.toContain('hash');
  });

  it('is given up if the server rejects it, or after 30 attempts', async () => {
    const world = new MailWorld();
    await world.created();
    world.send = async () => 'rejected';
    expect(await world.mail()).toMatchObject({ dead: 1, postponed: 0 });
    world.nowMs += MINUTE_MS;
    await world.created();
    world.send = failing;
    const counts = { postponed: 0, dead: 0 };
    for (let run = 0; run < 40; run++, world.nowMs += MINUTE_MS) {
      const { postponed, dead } = await world.mail();
      counts.postponed += postponed;
      counts.dead += dead;
    }
    expect(counts).toEqual({ postponed: 29, dead: 1 });
  });

  it('is not lost if the process stops, and two processes do not send it twice', async () => {
    const world = new MailWorld();
    await world.created();
    const { send } = world;
    const { promise, resolve } = Promise.withResolvers<'sent'>();
    world.send = () => promise;
    const stopped = world.mail();
    await expect.poll(() => world.storage.all().some(({ sort }) => sort === 'mail')).toBe(true);
    world.send = send;
    expect(await world.mail()).toMatchObject({ done: 0 });
    world.nowMs += MINUTE_MS;
    expect(await world.mail()).toMatchObject({ done: 1 });
    resolve('sent');
    await stopped;
    world.nowMs += MINUTE_MS;
    expect(await world.mail()).toMatchObject({ done: 0 });
  });
});

it('no e-mail is lost or early, whichever call of the store or the mail server fails, and however it fails', async () => {
  /** Sends the e-mails about two projects. The first run has a fault. Returns the number of its calls. */
  async function run(call: number, way: ReturnType<typeof twoWaysAt>[number]): Promise<number> {
    const world = new MailWorld();
    const sent: { readonly to: string; readonly line: string; readonly atMs: number }[] = [];
    world.send = async ({ to, text }) => {
      for (const line of text.match(/^- .*/gm) ?? []) sent.push({ to, line, atMs: world.nowMs });
      return 'sent';
    };
    const team = [TRANSLATOR, MANAGER, member({ username: 'tim@example.com' }, 4)];
    await world.translateAll(await world.created({ team }));
    const faults = faulty((n) => (n === call ? way : undefined), storeFailure);
    await Promise.race([world.mail(faults.through).catch(() => {}), faults.stopped]);
    await world.created({ team, serviceProofreading: true });
    for (let minute = 0; minute < 4; minute++) {
      world.nowMs += MINUTE_MS;
      await world.mail();
    }
    const people: Record<string, number> = { 'tina@example.com': 2, 'tim@example.com': 2, 'max@example.org': 1 };
    for (const [person, expected] of Object.entries(people)) {
      const own = sent.filter(({ to }) => to === person);
      const label = `${person}, call ${call} ${way}`;
      expect(own.length, label).toBeGreaterThanOrEqual(expected);
      expect(own.length, label).toBeLessThanOrEqual(expected + 1);
      const times = [...new Set(own.map(({ atMs }) => atMs))];
      expect(times.every((time, n) => n === 0 || time - (times[n - 1] ?? 0) >= MINUTE_MS)).toBe(true);
    }
    return faults.calls();
  }
  const calls = await run(0, 'fails before');
  expect(calls).toBeGreaterThan(10);
  for (let call = 1; call <= calls; call++) {
    for (const way of twoWaysAt(call)) await run(call, way);
  }
});
