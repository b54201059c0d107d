import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { smtpMail } from '../../../../lib/hosted/people/smtp-mail.ts';
import { portOf } from '../../upstream/server.ts';

const FROM = 'segue@example.com';
const MAIL = {
  to: 'tina@example.com',
  subject: '1 change in 1 project',
  text: 'Project 7\n- de is now “InProgress”.\n',
};

/** An e-mail as the server received it. */
interface Received {
  readonly from: string | undefined;
  readonly to: readonly string[];
  readonly message: string;
}

/** Starts an SMTP server without TLS. */
async function serve(options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
      const from = mailFrom === false ? undefined : mailFrom.address;
      text(stream).then((message) => {
        received.push({ from, to: rcptTo.map(({ address }) => address), message });
        done();
      }, done);
    },
    ...options,
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return { received, host: `127.0.0.1:${portOf(listening.address())}` };
}

function refusal(responseCode: number) {
  return Object.assign(new Error('refused'), { responseCode });
}

describe('an SMTP server', () => {
  it('receives the e-mail, with its credentials', async () => {
    const { received, host } = await serve({
      authOptional: false,
      onAuth: ({ username, password }, _session, done) =>
        username === 'user' && password === 'pass word' ? done(null, { user: 'user' }) : done(refusal(535)),
    });
    expect(await smtpMail(`smtp://user:pass%20word@${host}`, FROM)(MAIL)).toBe('sent');
    expect(received).toMatchObject([{ from: FROM, to: [MAIL.to] }]);
    const { message = '' } = received[0] ?? {};
    expect(message).toMatch(/^Subject: 1 change in 1 project\r?$/m);
    expect(message).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
    expect(message).toMatch(/^Content-Type: text\/plain; charset=utf-8\r?$/m);
    await expect(smtpMail(`smtp://user:wrong@${host}`, FROM)(MAIL)).rejects.toThrow();
  });

  it.each([
    ['an address with commas', 'a,b@example.com'],
    ['an address that looks like a list', '"x@evil.example, y"@example.com'],
  ])('receives one recipient for %s', async (_, to) => {
    const { received, host } = await serve();
    await smtpMail(`smtp://${host}`, FROM)({ ...MAIL, to }).catch(() => {});
    for (const each of received) expect(each.to).toHaveLength(1);
  });

  it.each([
    ['the recipient', 550, { onRcptTo: (_a, _s, done) => done(refusal(550)) }],
    ['the message', 554, { onData: (stream, _s, done) => void stream.resume().on('end', () => done(refusal(554))) }],
  ] satisfies [string, number, SMTPServerOptions][])(
    'that refuses %s for good rejects it',
    async (_, _code, options) => {
      const { host } = await serve(options);
      expect(await smtpMail(`smtp://${host}`, FROM)(MAIL)).toBe('rejected');
    },
  );

  it.each([
    ['refuses the recipient for now', { onRcptTo: (_a, _s, done) => done(refusal(450)) }],
    ['is busy', { onConnect: (_session, done) => done(refusal(421)) }],
  ] satisfies [string, SMTPServerOptions][])('that %s gets it again later', async (_, options) => {
    const { host } = await serve(options);
    await expect(smtpMail(`smtp://${host}`, FROM)(MAIL)).rejects.toThrow();
  });

  it('that is not there gets it later', async () => {
    await expect(smtpMail('smtp://127.0.0.1:1', FROM)(MAIL)).rejects.toThrow();
  });
});
