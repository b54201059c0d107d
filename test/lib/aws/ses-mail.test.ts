import { expect, it } from 'vitest';
import { sesClient, sesMail } from '../../../lib/aws/ses-mail.ts';
import { type Play, playService } from '../upstream/server.ts';

const MAIL = { to: 'tina@example.com', subject: '1 change in 1 project', text: 'Project 7\n' };

/** Starts a server in place of Amazon SES. Returns the function that sends, and the requests. */
async function serve(status: number, body: unknown, type?: string) {
  const play: Play = (_, response) => {
    const headers = { 'content-type': 'application/json', ...(type && { 'x-amzn-errortype': type }) };
    response.writeHead(status, headers).end(JSON.stringify(body));
  };
  const { url, received } = await playService(play);
  const credentials = { accessKeyId: 'nobody', secretAccessKey: 'nothing' };
  const client = sesClient({ endpoint: url, region: 'eu-west-1', credentials, maxAttempts: 1 });
  return { send: sesMail(client, 'segue@example.com'), received };
}

it('Amazon SES gets an e-mail of plain text', async () => {
  const { send, received } = await serve(200, { MessageId: 'message' });
  expect(await send(MAIL)).toBe('sent');
  expect(received).toHaveLength(1);
  const [{ method, url, body } = { method: '', url: '', body: '' }] = received;
  expect([method, url]).toEqual(['POST', '/v2/email/outbound-emails']);
  expect(JSON.parse(body)).toMatchObject({
    FromEmailAddress: 'segue@example.com',
    Destination: { ToAddresses: [MAIL.to] },
    Content: { Simple: { Subject: { Data: MAIL.subject }, Body: { Text: { Data: MAIL.text, Charset: 'UTF-8' } } } },
  });
});

it.each([
  ['MessageRejected', 400],
  ['BadRequestException', 400],
])('an e-mail that Amazon SES refuses with %s is rejected', async (type, status) => {
  expect(await (await serve(status, { message: 'no' }, type)).send(MAIL)).toBe('rejected');
});

it.each([
  ['TooManyRequestsException', 429],
  ['SendingPausedException', 400],
  ['AccountSuspendedException', 400],
  ['InternalServiceErrorException', 500],
])('an e-mail that Amazon SES refuses with %s can be sent again', async (type, status) => {
  await expect((await serve(status, { message: 'later' }, type)).send(MAIL)).rejects.toThrow();
});
