import type { KnownSender } from './template.ts';

const SHA256 = { algorithm: 'sha256' } as const;
const HEX = { ...SHA256, encoding: 'hex' } as const;
const BASE64 = { ...SHA256, encoding: 'base64' } as const;

/** The known senders that sign more than the body, by the name of their scheme. */
export const KNOWN_SENDERS = {
  stripe: {
    ...HEX,
    template: '{timestamp}.{body}',
    signature: 'stripe-signature#v1',
    timestamp: 'stripe-signature#t',
    timeUnit: 'seconds',
    parts: 't,v1',
    secretPrefix: 'whsec_',
    // Each body has the id of its event. A retry is signed anew, with another time.
    identifiedBy: 'body',
  },
  contentful: {
    ...HEX,
    template: '{method}\n{path}\n{headers:x-contentful-signed-headers}\n{body}',
    signature: 'x-contentful-signature',
    timestamp: 'x-contentful-timestamp',
    timeUnit: 'milliseconds',
  },
  sanity: {
    ...SHA256,
    encoding: 'base64url',
    template: '{timestamp}.{body}',
    signature: 'sanity-webhook-signature#v1',
    timestamp: 'sanity-webhook-signature#t',
    timeUnit: 'milliseconds',
    parts: 't,v1',
    onlyParts: true,
  },
  hygraph: {
    ...BASE64,
    template: '{"Body":{body:json},"EnvironmentName":"{header:gcms-signature#env}","TimeStamp":{timestamp}}',
    signature: 'gcms-signature#sign',
    timestamp: 'gcms-signature#t',
    timeUnit: 'milliseconds',
    parts: 'sign, env, t',
    onlyParts: true,
  },
  ghost: {
    ...HEX,
    template: '{body}{timestamp}',
    signature: 'x-ghost-signature#sha256',
    timestamp: 'x-ghost-signature#t',
    timeUnit: 'milliseconds',
    parts: 'sha256, t',
    onlyParts: true,
  },
  slack: {
    ...HEX,
    template: 'v0:{timestamp}:{body}',
    signature: 'x-slack-signature',
    prefix: 'v0=',
    timestamp: 'x-slack-request-timestamp',
    timeUnit: 'seconds',
    // Each body has the id of its event. A retry is signed anew, with another time.
    identifiedBy: 'body',
  },
  zendesk: {
    ...BASE64,
    template: '{timestamp}{body}',
    signature: 'x-zendesk-webhook-signature',
    timestamp: 'x-zendesk-webhook-signature-timestamp',
    timeUnit: 'iso',
  },
  webflow: {
    ...HEX,
    template: '{timestamp}:{body}',
    signature: 'x-webflow-signature',
    timestamp: 'x-webflow-timestamp',
    timeUnit: 'milliseconds',
  },
} as const satisfies Record<string, KnownSender>;
