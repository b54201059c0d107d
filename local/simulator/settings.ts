import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { nearest } from '../../lib/contract/nearest.ts';
import { type LocalSettings, readSettings, SettingsError } from '../settings.ts';
import { allAt, FAULT_NAMES, isFaultName, type Rates } from './faults.ts';

/** Checked settings of `npm run simulator`. */
export interface SimulatorSettings {
  /** Settings of the service behind the faults. */
  readonly service: LocalSettings;
  readonly seed: number;
  readonly rates: Rates;
  readonly settleLagMs: number;
  /** Whether several projects may have one custom id. */
  readonly areCustomIdsFree: boolean;
}

const FOLDER = '.segue/simulator';
const PORT = '8790';
const LAG = '2000';

const OPTIONS = {
  port: { type: 'string' },
  seed: { type: 'string' },
  rate: { type: 'string', default: '0' },
  fault: { type: 'string', multiple: true },
  'settle-lag': { type: 'string', default: LAG },
  'custom-ids': { type: 'string', default: 'unique' },
} as const;

const FLAGS = `the flags are ${Object.keys(OPTIONS)
  .map((name) => `--${name}`)
  .join(', ')}, each with its value`;

/**
 * Reads the flags, and the environment of `npm start` for the service.
 * @throws {SettingsError}
 */
export function readSimulatorSettings(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): SimulatorSettings {
  const { port, seed, rate, fault = [], 'settle-lag': settleLag, 'custom-ids': customIds } = readFlags(args);
  if (customIds !== 'unique' && customIds !== 'free') throw new SettingsError('--custom-ids takes unique or free');
  return {
    service: readSettings([], {
      ...env,
      PORT: port || env['PORT'] || PORT,
      SEGUE_DATA_DIR: env['SEGUE_DATA_DIR'] || FOLDER,
    }),
    seed: seed === undefined ? randomInt(2 ** 31) : wholeNumber(seed, '--seed'),
    rates: { ...allAt(rateIn(rate, '--rate')), ...Object.fromEntries(fault.map(namedRate)) },
    settleLagMs: wholeNumber(settleLag, '--settle-lag'),
    areCustomIdsFree: customIds === 'free',
  };
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch {
    throw new SettingsError(FLAGS);
  }
}

function namedRate(text: string): [name: string, rate: number] {
  const [name = '', rate = ''] = text.split('=');
  if (!isFaultName(name)) {
    const [near] = nearest(name, FAULT_NAMES, 1);
    throw new SettingsError(
      `--fault takes <name>=<rate>, and no fault has that name${near ? `: ${near} is near` : ''}`,
    );
  }
  return [name, rateIn(rate, `--fault ${name}`)];
}

function rateIn(text: string, flag: string): number {
  const rate = /^\d(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (rate >= 0 && rate <= 1) return rate;
  throw new SettingsError(`${flag} takes a rate from 0 (never) to 1 (always)`);
}

function wholeNumber(text: string, flag: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SettingsError(`${flag} takes a whole number of at most 9 digits`);
}
