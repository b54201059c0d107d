import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { childEnvironment } from '../support/child-environment.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';

// Processes take seconds on a busy machine.
vi.setConfig({ testTimeout: MUCH_WORK_MS });

const ROOT = join(import.meta.dirname, '../..');
const COMPOSE = join(ROOT, 'functions/compose');
const MODULES = readdirSync(COMPOSE).map((name) => pathToFileURL(join(COMPOSE, name)).href);

/** Imports modules, and prints which settings they read, and which stores, files and connections they opened by that. */
const IMPORT = `
  import fs from 'node:fs';
  import http from 'node:http';
  import https from 'node:https';
  import { syncBuiltinESMExports } from 'node:module';
  import net from 'node:net';
  import { DatabaseSync } from 'node:sqlite';
  const opened = [];
  const watch = (object, name) => {
    const real = object[name];
    object[name] = new Proxy(real, {
      apply(...call) { opened.push(name); return Reflect.apply(...call); },
      construct(...call) { opened.push(name); return Reflect.construct(...call); },
    });
  };
  for (const name of ['mkdirSync', 'writeFileSync']) watch(fs, name);
  for (const module of [http, https]) watch(module, 'Agent');
  watch(net, 'connect');
  watch(DatabaseSync.prototype, 'exec');
  syncBuiltinESMExports();
  process.env = new Proxy(process.env, {
    get(env, name) {
      if (/^SEGUE_/.test(String(name))) opened.push(name);
      return env[name];
    },
  });
  for (const module of JSON.parse(process.argv[1])) await import(module);
  const timers = process.getActiveResourcesInfo().filter((resource) => /Timeout|TCP|Worker/.test(resource));
  process.stdout.write(JSON.stringify([...opened, ...timers]));`;

async function openedBy(modules: readonly string[], conditions: readonly string[]) {
  const flags = ['--disable-warning=ExperimentalWarning', ...conditions.map((name) => `--conditions=${name}`)];
  const args = [...flags, '--input-type=module', '--eval', IMPORT, JSON.stringify(modules)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: childEnvironment({}) });
  return z.array(z.string()).parse(JSON.parse(stdout));
}

it.each([
  ['hosted', 'aws'],
  ['hosted', 'local'],
  ['upstream', 'aws'],
  ['upstream', 'local-dynamodb'],
])('the composition of %s on %s opens nothing when it is imported', async (...conditions) => {
  expect(await openedBy(MODULES, conditions)).toEqual([]);
});

it('is not proved of a module that opens something', async () => {
  const opening = `
    import { Agent } from 'node:https';
    import { DatabaseSync } from 'node:sqlite';
    new DatabaseSync(process.env.SEGUE_DATA_DIR ?? ':memory:').exec('SELECT 1');
    new Agent();
    setTimeout(() => {}, 1);`;
  const opened = await openedBy([`data:text/javascript,${encodeURIComponent(opening)}`], []);
  expect(opened).toEqual(['SEGUE_DATA_DIR', 'exec', 'Agent', 'Timeout']);
});
