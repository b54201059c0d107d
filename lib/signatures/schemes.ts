import { BODY_SENDERS, type BodyHmacSettings, bodyHmac, isBodySender } from './body-hmac.ts';
import { hmacOf, newTextSecret, SECRET_FORM } from './hmac.ts';
import type { SignatureScheme } from './scheme.ts';
import { newStandardSecret, signStandard } from './sign-standard.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import type { SchemeSettings } from './stored-scheme.ts';
import { templateSchemeOf } from './template-schemes.ts';

/** Returns the scheme for the settings of a source, to verify and to sign messages. */
export function schemeOf(settings: SchemeSettings): SignatureScheme {
  const { name } = settings;
  if (name === 'standard-webhooks') return STANDARD;
  if (name === 'hmac') return bodyScheme(settings);
  if (isBodySender(name)) return bodyScheme(BODY_SENDERS[name]);
  return templateSchemeOf(name === 'token' || name === 'template' ? settings : { name });
}

const STANDARD: SignatureScheme = {
  ...standardWebhooks,
  sign: (secret, message) => signStandard([secret], message),
  secretForm: 'whsec_ followed by 24 to 64 bytes in base64, or whpk_ followed by a public key of 32 bytes in base64',
  newSecret: newStandardSecret,
};

function bodyScheme(settings: BodyHmacSettings): SignatureScheme {
  const { header, prefix = '' } = settings;
  return {
    ...bodyHmac(settings),
    sign: (secret, { body }) => ({ [header]: prefix + hmacOf(settings, secret, [body]) }),
    secretForm: SECRET_FORM,
    newSecret: newTextSecret,
  };
}
