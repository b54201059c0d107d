import { median } from '../support/statistics.ts';
import { markdownTable } from '../support/table.ts';
import type { ColdStart } from './start.ts';

/** The measured cold starts of one bundle. */
export interface Measured {
  readonly title: string;
  readonly bytes: number;
  readonly starts: readonly ColdStart[];
  /**
   * The cold starts in which the process got a share of a CPU after its initialisation. Empty if this machine cannot
   * limit the CPU.
   */
  readonly throttled: readonly ColdStart[];
  /** The cold starts with V8's compile cache. Empty if it was not measured. */
  readonly cached: readonly ColdStart[];
}

/** The cold starts of Segue and its peers for the same job. */
export interface Race {
  readonly segue: Measured;
  readonly peers: readonly Measured[];
  readonly targets: Targets;
}

/**
 * The targets of Segue: how long its cold start may take, as a ratio to the time of an empty handler or of the best
 * peer.
 */
export interface Targets {
  readonly ofEmpty: number;
  readonly ofBestPeer?: number;
}

const answerMs = (starts: readonly ColdStart[]) => median(starts.map((start) => start.answerMs));
const initMs = (starts: readonly ColdStart[]) => median(starts.map((start) => start.initMs));

/** Returns a table with one line for each bundle. The lines of Segue also show the targets. */
export function coldStartTable(empty: Measured, races: readonly Race[]): string {
  const rows = [lineOf(empty, empty, [], '')];
  for (const race of races) {
    rows.push(lineOf(race.segue, empty, race.peers, verdict(empty, race)));
    for (const peer of race.peers) rows.push(lineOf(peer, empty, [], ''));
  }
  const figures = ['answered', 'of empty', 'of best peer'];
  const throttled = figures.map((figure) => `throttled: ${figure}`);
  return markdownTable(
    ['function', 'bundle', 'init', ...figures, 'target', 'with a compile cache', ...throttled],
    rows,
  );
}

export function meetsTargets(empty: Measured, { segue, peers, targets }: Race): boolean {
  const ms = answerMs(segue.starts);
  return (
    ms <= targets.ofEmpty * answerMs(empty.starts) &&
    (targets.ofBestPeer === undefined || ms <= targets.ofBestPeer * best(peers.map(({ starts }) => starts)))
  );
}

function lineOf(measured: Measured, empty: Measured, peers: readonly Measured[], target: string): string[] {
  const { title, bytes, starts, throttled, cached } = measured;
  const plain = figuresOf(
    starts,
    empty.starts,
    peers.map((peer) => peer.starts),
  );
  const slow = figuresOf(
    throttled,
    empty.throttled,
    peers.map((peer) => peer.throttled),
  );
  const withCache = cached.length > 0 ? (answerMs(cached) / answerMs(empty.starts)).toFixed(2) : '';
  const figures = [milliseconds(initMs(starts)), ...plain, target, withCache, ...slow];
  return [title, `${(bytes / 1_000).toFixed(0)} kB`, ...figures];
}

function figuresOf(
  starts: readonly ColdStart[],
  empty: readonly ColdStart[],
  peers: readonly (readonly ColdStart[])[],
) {
  if (starts.length === 0) return ['', '', ''];
  const ms = answerMs(starts);
  return [milliseconds(ms), (ms / answerMs(empty)).toFixed(2), peers.length > 0 ? (ms / best(peers)).toFixed(2) : ''];
}

function best(peers: readonly (readonly ColdStart[])[]): number {
  return Math.min(...peers.map(answerMs));
}

function verdict(empty: Measured, race: Race): string {
  const { ofEmpty, ofBestPeer } = race.targets;
  const wanted = [`≤ ${ofEmpty} of empty`, ...(ofBestPeer === undefined ? [] : [`≤ ${ofBestPeer} of best peer`])];
  return `${wanted.join(', ')}: ${meetsTargets(empty, race) ? 'ok' : 'miss'}`;
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(0)} ms`;
}
