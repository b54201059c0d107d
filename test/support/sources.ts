import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SchemeSettings } from '../../lib/signatures/stored-scheme.ts';
import { type Ended, segueIn } from './segue.ts';

/** The options with which a source is added. */
export interface SourceOptions {
  readonly name: string;
  readonly companyId: string;
  readonly scheme: SchemeSettings;
  /** The secret. By default, the command generates one. */
  readonly secret?: string;
  /** The mapping. By default, it returns no command. */
  readonly mapping?: string;
  /** A sample message as JSON. */
  readonly sample?: string;
}

/** Returns the arguments that set the signature scheme. */
function schemeArguments({ name, ...settings }: SchemeSettings): string[] {
  const optionOf = (key: string) => `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return ['--scheme', name, ...Object.entries(settings).flatMap(([key, value = '']) => [optionOf(key), value])];
}

/** Adds a source to the Segue of a data folder. */
export function addSource(
  folder: string,
  { name, companyId, scheme, secret, mapping = 'null', sample = '{}' }: SourceOptions,
  ...more: readonly string[]
): Promise<Ended> {
  const [mappingFile, sampleFile] = [join(folder, 'mapping.jsonata'), join(folder, 'sample.json')];
  writeFileSync(mappingFile, mapping);
  writeFileSync(sampleFile, sample);
  const about = ['--company', companyId, '--mapping', mappingFile, '--sample', sampleFile];
  const from = secret === undefined ? [] : ['--secret-from-stdin'];
  const stdin = secret === undefined ? '' : `${secret}\n`;
  return segueIn(
    folder,
    { readStdin: async () => stdin },
    'source',
    'add',
    name,
    ...about,
    ...schemeArguments(scheme),
    ...from,
    ...more,
  );
}

/** Returns the secret that a command printed on its own line. */
export function printedSecret({ stdout, stderr }: Ended): string {
  const secret = /^Secret: (\S+)$/m.exec(stdout)?.[1];
  if (secret === undefined) throw new Error(`No secret was printed: ${stderr}`);
  return secret;
}
