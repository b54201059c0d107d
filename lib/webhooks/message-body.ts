import type { MiddlewareObj } from '@middy/core';
import { Problem } from '../contract/problem.ts';
import { BODY_LIMITS } from '../contract/routes.ts';
import type { ProxyResult } from '../http/event.ts';
import type { HttpRequest } from '../http/request.ts';

const { mostBytes } = BODY_LIMITS.message;

/** Takes a body as the bytes that were received, whatever they are: they are what is signed. */
export const messageBody = (): MiddlewareObj<HttpRequest, ProxyResult> => ({
  before({ event }) {
    const { text, isBase64 } = event.received ?? { text: '', isBase64: true };
    const bytes = Buffer.from(text, isBase64 ? 'base64' : 'utf8');
    event.bodyBytes = bytes.length;
    if (bytes.length > mostBytes) {
      throw new Problem('too-large', { detail: `The message has more than ${mostBytes} bytes.` });
    }
    event.body = bytes;
  },
});
