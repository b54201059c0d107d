import { Problem } from '../lib/contract/problem.ts';
import { CompanyRefusal } from '../lib/credentials/companies.ts';
import { SigningKeysUnusable } from '../lib/credentials/signing-keys-file.ts';
import { failureFields } from '../lib/service/log.ts';
import { StoreNotOpened } from '../lib/storage/sqlite/database.ts';

/** Errors whose messages are written for people. */
const TOLD = [CompanyRefusal, SigningKeysUnusable, StoreNotOpened, Problem];

/** Why a command failed, in one line. Of an error that nobody expected only name and code: its message may quote anything. */
export function sentence(error: unknown): string {
  if (error instanceof Error && TOLD.some((type) => error instanceof type)) return error.message.replace(/\s+/g, ' ');
  const { cause } = failureFields(error);
  return ['it failed:', cause?.name ?? 'Error', cause?.code].filter(Boolean).join(' ');
}
