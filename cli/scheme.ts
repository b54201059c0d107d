import { type Command, Option } from 'commander';
import * as z from 'zod/mini';
import { HMAC_ALGORITHMS, HMAC_ENCODINGS } from '../lib/webhooks/signature-schemes/hmac.ts';
import { SCHEME_NAMES, SchemeSettings } from '../lib/webhooks/signature-schemes/schemes.ts';

const Options = z.object({
  scheme: z.string(),
  header: z.optional(z.string()),
  algorithm: z.optional(z.string()),
  encoding: z.optional(z.string()),
  prefix: z.optional(z.string()),
});

/** Gives a command the options that say how messages are signed. */
export function addSchemeOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--scheme <scheme>', 'how its messages are signed').choices(SCHEME_NAMES).makeOptionMandatory(),
    )
    .option('--header <name>', 'hmac: the header with the signature')
    .addOption(new Option('--algorithm <algorithm>', 'hmac: the hash function').choices(HMAC_ALGORITHMS))
    .addOption(new Option('--encoding <encoding>', 'hmac: how the signature is written').choices(HMAC_ENCODINGS))
    .option('--prefix <text>', 'hmac: what stands before the signature, such as sha256=');
}

/** The scheme that the options of a command say; the command ends where they are missing, or belong to another scheme. */
export function readScheme(command: Command, options: unknown): SchemeSettings {
  const { scheme: name, header, algorithm, encoding, prefix } = Options.parse(options);
  const given = Object.fromEntries(
    Object.entries({ header: header?.toLowerCase(), algorithm, encoding, prefix }).filter(([, value]) => value),
  );
  const read = SchemeSettings.safeParse({ name, ...given });
  if (read.success) return read.data;
  return command.error(
    name === 'hmac'
      ? 'error: the scheme hmac needs --header, --algorithm and --encoding, and takes --prefix of 1 to 32 visible characters'
      : 'error: only the scheme hmac takes --header, --algorithm, --encoding and --prefix',
  );
}
