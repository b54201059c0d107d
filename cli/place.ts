import type { Command } from 'commander';
import * as z from 'zod/mini';
import { type Companies, companiesIn } from '../lib/credentials/companies.ts';
import { refuseSuspendedCompany, requireActiveCompany } from '../lib/credentials/company-record.ts';
import { findLastStart } from '../lib/credentials/sandbox.ts';
import { secretFiles } from '../lib/credentials/secret-files.ts';
import { rotateSigningKeysFile } from '../lib/credentials/signing-keys-file.ts';
import type { ItemStore } from '../lib/storage/port.ts';
import { DEFAULT_FOLDER, openDatabase } from '../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../lib/storage/sqlite/storage.ts';
import { claimStore, type Owner, ownerOf } from '../lib/storage/store-owner.ts';
import type { Audited } from '../lib/upstream/audit.ts';
import { type DeadLetters, deadLettersIn } from '../lib/webhooks/dead-letters.ts';
import { type SourceAdmin, sourceAdmin } from '../lib/webhooks/source-admin.ts';
import { SECRETS_FOLDER } from '../lib/webhooks/source-secrets.ts';
import { auditBehind, BehindUnusable, behindThisMachine } from './behind.ts';
import type { BulkEnd, BulkRequest } from './bulk/request.ts';
import type { Surroundings } from './program.ts';

/** A Segue that is administered. */
export interface Place {
  readonly companies: Companies;
  /** Does what a company needs beside a key, before it gets its first. To do it again changes nothing. */
  prepare(companyId: string): Promise<void>;
  readonly sources: SourceAdmin;
  /** Where messages of a source are to be sent. On this machine the port is that of `npm start` with the same environment. */
  webhookUrl(name: string): string;
  /** Messages of webhooks that came to nothing. */
  readonly letters: DeadLetters;
  /** Begins a rotation of the keys that sign tokens. @returns what comes of it, for people */
  rotateSigningKeys(): Promise<string>;
  /**
   * Compares what the service behind has with what companies own.
   * @param url of that service, where it is not known
   */
  audit(url: string | undefined): Promise<Audited>;
  /** Carries out the commands of a manifest. */
  bulk(request: BulkRequest): Promise<BulkEnd>;
  close(): void;
}

/** A Segue among those that stacks have. */
export interface NamedStack {
  /** The name of a CloudFormation stack. */
  readonly stack: string;
  /** Which of the stack's, where it has several. */
  readonly gateway: string | undefined;
}

const Named = z.object({ stack: z.optional(z.string()), gateway: z.optional(z.string()) });

/** The stack that the command line names. */
export function stackIn(segue: Command): NamedStack | undefined {
  const { stack, gateway } = Named.parse(segue.opts());
  if (stack !== undefined) return { stack, gateway };
  if (gateway !== undefined) segue.error("error: --gateway says which of a stack's: give --stack too");
  return undefined;
}

/** A command as a person types it, for the same Segue. */
export function commandLine(named: NamedStack | undefined, args: readonly string[]): string {
  const stack = named ? ['--stack', named.stack] : [];
  const gateway = named?.gateway === undefined ? [] : ['--gateway', named.gateway];
  return ['npm run segue --', ...stack, ...gateway, ...args].join(' ');
}

/**
 * Works with a Segue: this machine's, or that of a stack.
 * @param named that of a stack, if any
 */
export async function withPlace<T>(
  surroundings: Surroundings,
  named: NamedStack | undefined,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const place = named === undefined ? thisMachine(surroundings) : await stackOf(named);
  try {
    return await work(place);
  } finally {
    place.close();
  }
}

/** The port of `npm start`. */
const DEFAULT_PORT = '8787';

/** The data folder: that of `npm start` with the same environment. */
function thisMachine(surroundings: Surroundings): Place {
  const { env } = surroundings;
  const folder = env['SEGUE_DATA_DIR'] || DEFAULT_FOLDER;
  let opened: SqliteStorage | undefined;
  const storage = () => {
    opened ??= new SqliteStorage(openDatabase(folder), Date.now);
    return opened;
  };
  const sandbox = async () => env['SEGUE_COMPANY_ID'] || findLastStart(storage());
  /** Like `npm start`, a command makes the sandbox company exist by using it. */
  async function isCompany(companyId: string): Promise<boolean> {
    const companies = companiesIn(storage(), Date.now);
    if (companyId === (await sandbox())) await companies.register(companyId);
    return companies.exists(companyId);
  }
  return {
    get companies() {
      return companiesIn(storage(), Date.now);
    },
    get sources() {
      return sourceAdmin({
        store: storage(),
        secretStore: secretFiles(folder, SECRETS_FOLDER),
        isCompany,
        now: Date.now,
      });
    },
    webhookUrl: (name) => `${env['SEGUE_URL'] || `http://127.0.0.1:${env['PORT'] || DEFAULT_PORT}`}/webhooks/${name}`,
    get letters() {
      return deadLettersIn(storage(), Date.now);
    },
    prepare: async () => {},
    rotateSigningKeys: async () => `A new key signs from ${rotateSigningKeysFile(folder, Date.now())} on.`,
    async audit(url) {
      if (url === undefined)
        throw new BehindUnusable('say which service is behind: --upstream <base url>, as for npm start');
      if ((await ownerOf(storage())) !== 'upstream')
        throw new BehindUnusable('SEGUE_DATA_DIR is no data folder of npm start with --upstream');
      return auditBehind({
        ...behindThisMachine(surroundings),
        url,
        storage: storage(),
        companies: companiesIn(storage(), Date.now),
        others: [await sandbox()],
      });
    },
    async bulk(request) {
      const { runHere } = await import('./bulk/here.ts');
      const { serviceOfThisMachine } = await import('./service.ts');
      const service = serviceOfThisMachine(surroundings, storage(), request.upstream);
      const { validateOnly, upstream } = request;
      await requireStoreOf(storage(), upstream === undefined ? 'hosted' : 'upstream', { validateOnly });
      const companyId = request.companyId ?? (await sandbox());
      // A check writes nothing, so the sandbox company may be absent: a run would add it.
      const mayBeAbsent = validateOnly && companyId === (await sandbox());
      if (!mayBeAbsent) await isCompany(companyId);
      const requireCompany = mayBeAbsent ? refuseSuspendedCompany(storage) : requireActiveCompany(storage);
      return runHere({ service, requireCompany }, { ...request, companyId });
    },
    close: () => opened?.close(),
  };
}

/** @throws {BehindUnusable} where the store is another service's: under the same keys it has other records */
async function requireStoreOf(
  storage: ItemStore,
  service: Owner,
  { validateOnly }: { readonly validateOnly: boolean },
): Promise<void> {
  const owner = validateOnly ? ((await ownerOf(storage)) ?? service) : await claimStore(storage, service);
  if (owner === service) return;
  const was = service === 'upstream' ? 'without --upstream' : 'with --upstream';
  throw new BehindUnusable(`the store was begun ${was}: set SEGUE_DATA_DIR to another one`);
}

/** The SDK is loaded only where there is a stack. */
async function stackOf(named: NamedStack): Promise<Place> {
  const { openStack } = await import('./stack.ts');
  return openStack(named);
}
