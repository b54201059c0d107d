import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isPublicAddress } from '../../../../lib/service/public-address.ts';
import { answerWith, HOST, localTransport, lookupOf, startReceiver } from '../../events/receiver.ts';
import { playService, portOf } from '../../upstream/server.ts';

const MESSAGE = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":"ü"}' } as const;
const REFUSED = { kind: 'address-refused' };

describe('the transport', () => {
  it('posts the message with the host of the URL, over a verified connection', async () => {
    const receiver = await startReceiver(answerWith(202));
    const sent = await localTransport()({ url: `${receiver.url}/hooks?x=1`, ...MESSAGE });
    expect(sent).toMatchObject({ kind: 'answered', status: 202 });
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = receiver.received;
    expect([path, body, headers.host]).toEqual(['/hooks?x=1', MESSAGE.body, new URL(receiver.url).host]);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '10' });
  });

  it('follows no redirect', async () => {
    const other = await startReceiver();
    const receiver = await startReceiver(answerWith(307, { location: other.url }));
    expect(await localTransport()({ url: receiver.url, ...MESSAGE })).toMatchObject({ status: 307 });
    expect(other.connections()).toBe(0);
  });

  it('refuses a certificate that it cannot verify', async () => {
    const receiver = await startReceiver();
    const url = receiver.url.replace(HOST, 'another.test');
    expect(await localTransport()({ url, ...MESSAGE })).toEqual({
      kind: 'no-answer',
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    const unknown = await localTransport({ ca: '' })({ url: receiver.url, ...MESSAGE });
    expect(unknown).toMatchObject({ kind: 'no-answer', code: expect.stringMatching(/CERT|ISSUER|SIGNATURE/) });
    expect(receiver.received).toEqual([]);
  });

  it('does not connect to a name that resolves to a private address', async () => {
    const receiver = await startReceiver();
    const { lookup } = lookupOf(['127.0.0.1']);
    const send = localTransport({ lookup, mayConnect: isPublicAddress });
    expect(await send({ url: receiver.url, ...MESSAGE })).toEqual(REFUSED);
    for (const addresses of [['8.8.8.8', '127.0.0.1'], ['::ffff:127.0.0.1'], ['fd00:ec2::254']])
      expect(
        await localTransport({ lookup: lookupOf(addresses).lookup, mayConnect: isPublicAddress })({
          url: receiver.url,
          ...MESSAGE,
        }),
      ).toEqual(REFUSED);
    expect(receiver.connections()).toBe(0);
  });

  it('resolves a name once for each message, so that a second answer of the name server changes nothing', async () => {
    const receiver = await startReceiver();
    // The first answer is an address of this machine that stands for a public one. The second one is private.
    const { lookup, calls } = lookupOf(['127.0.0.1'], ['127.0.0.2']);
    const send = localTransport({ lookup });
    expect(await send({ url: receiver.url, ...MESSAGE })).toMatchObject({ status: 200 });
    expect(calls()).toBe(1);
    expect(await send({ url: receiver.url, ...MESSAGE })).toEqual(REFUSED);
    expect([calls(), receiver.connections()]).toEqual([2, 1]);
  });

  it('sends nothing if the connection has another address than the lookup said', async () => {
    const receiver = await startReceiver();
    let checks = 0;
    const send = localTransport({ mayConnect: () => checks++ === 0 });
    expect(await send({ url: receiver.url, ...MESSAGE })).toEqual(REFUSED);
    expect(receiver.received).toEqual([]);
  });

  it('says why there was no answer', async () => {
    const none: Parameters<typeof localTransport>[0] = {
      // Like Node's lookup, which gives an error and nothing else.
      lookup: (_, __, callback) =>
        Reflect.apply(callback, undefined, [Object.assign(new Error(), { code: 'ENOTFOUND' })]),
    };
    expect(await localTransport(none)({ url: 'https://events.test', ...MESSAGE })).toEqual({
      kind: 'no-answer',
      code: 'ENOTFOUND',
    });
    const receiver = await startReceiver((response) => response.destroy());
    expect(await localTransport()({ url: receiver.url, ...MESSAGE })).toMatchObject({ code: 'ECONNRESET' });
  });

  it('gives up if a receiver never answers, or never opens the connection', async () => {
    const silent = await startReceiver(() => {});
    const send = localTransport({ timeoutMs: 50 });
    expect(await send({ url: silent.url, ...MESSAGE })).toEqual({ kind: 'no-answer', code: 'TIMEOUT' });
    const mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void mute.close());
    const url = `https://${HOST}:${portOf(mute.address())}`;
    expect(await send({ url, ...MESSAGE })).toEqual({ kind: 'no-answer', code: 'TIMEOUT' });
  });

  it('takes the status of an answer that is endless or slow, and reads little of it', async () => {
    let written = 0;
    const endless = await startReceiver((response) => {
      response.writeHead(200);
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) written += 65_536;
      };
      response.on('drain', write);
      write();
    });
    expect(await localTransport()({ url: endless.url, ...MESSAGE })).toMatchObject({ status: 200 });
    expect(written).toBeLessThan(20_000_000);
    const slow = await startReceiver((response) => {
      response.writeHead(200);
      response.write('x');
    });
    expect(await localTransport({ timeoutMs: 100 })({ url: slow.url, ...MESSAGE })).toMatchObject({ status: 200 });
  });

  it('sends to this machine without TLS only if that is allowed', async () => {
    const service = await playService((_, response) => response.end());
    expect(await localTransport()({ url: service.url, ...MESSAGE })).toEqual(REFUSED);
    expect(service.connections()).toBe(0);
    const allowed = localTransport({ allowsLoopback: true, mayConnect: isPublicAddress });
    expect(await allowed({ url: service.url, ...MESSAGE })).toMatchObject({ kind: 'answered', status: 200 });
  });
});
