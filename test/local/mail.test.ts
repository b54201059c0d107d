import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ask, creationOf } from '../faults/asking.ts';
import { portOf } from '../lib/upstream/server.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';
import { member, smallProject, target } from '../support/projects.ts';

it('npm start tells the members of a managed project of their tasks by e-mail', async () => {
  const messages: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) =>
      void text(stream)
        .then((message) => messages.push(message))
        .then(() => done(), done),
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const env = {
    SEGUE_MAIL_SERVER: `smtp://127.0.0.1:${portOf(listening.address())}`,
    SEGUE_MAIL_FROM: 'segue@example.org',
    SEGUE_MAIL_DOMAINS: 'example.com',
  };
  const gateway = await startGateway({ env });
  onTestFinished(async () => void (await gateway.stop()));
  const targetLanguages = [target({ managedProject: true, serviceTranslation: true, team: [member()] })];
  const created = await ask(gateway, creationOf(smallProject({ targetLanguages, customId: 'managed' })));
  expect(created.status).toBe(201);
  await vi.waitFor(() => expect(messages).toHaveLength(1), EVENTUALLY);
  expect(messages[0]).toMatch(/^To: person\.1@example\.com\r?$/m);
  expect(messages[0]).toContain('You are the translator of ');
  const progress = await ask(gateway, { method: 'GET', path: '/segments/projects/custom/managed/progress' });
  expect(JSON.parse(progress.text)).toMatchObject({ assignees: [{ role: 'translator', memberId: 7001 }] });
  await vi.waitFor(() => expect(gateway.stderr()).toMatch(/"operation":"sendMail".*"done":1/), EVENTUALLY);
  expect(gateway.stderr()).not.toContain('@');
});
