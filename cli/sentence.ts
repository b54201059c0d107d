import { Problem } from '../lib/contract/problem.ts';
import { failureFields } from '../lib/service/log.ts';
import { visible } from './visible.ts';

/** Errors whose messages are written for people, by their names: some are of modules that are loaded only where they are needed. */
const TOLD: readonly string[] = [
  'BehindUnusable',
  'CompanyError',
  'LetterRefusal',
  'LinesFailed',
  'ManifestUnusable',
  'SampleUnusable',
  'SecretFileError',
  'SendFailed',
  'SourceRefusal',
  'StackUnusable',
  'StoreNotOpened',
  'StraysFound',
];

/** Why a command failed, in one line. Of an error that nobody expected only name and code: its message may quote anything. */
export function sentence(error: unknown): string {
  if (error instanceof Problem || (error instanceof Error && TOLD.includes(error.name)))
    return visible(error.message.replace(/\s+/g, ' '));
  const { cause } = failureFields(error);
  return ['it failed:', cause?.name ?? 'Error', cause?.code].filter(Boolean).join(' ');
}
