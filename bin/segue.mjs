#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

/**
 * The `segue` command. It runs under any Node from 20 on, and starts the program under Node 24, which comes as a
 * package.
 */

const require = createRequire(import.meta.url);
const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Returns this process's Node if it is 24 or newer, else the Node 24 of the package for this platform. */
function node24() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const file = platform === 'win' ? 'node.exe' : 'bin/node';
  try {
    return require.resolve(`node-${platform}-${process.arch}/${file}`);
  } catch {
    // `tools/require-node-24.cjs` then says what is missing.
    return process.execPath;
  }
}

const flags = ['--require', pathOf('../tools/require-node-24.cjs'), '--disable-warning=ExperimentalWarning'];
const program = spawn(node24(), [...flags, pathOf('../packages/cli/segue.ts'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// A terminal signals the program too, which takes two signals in a second as one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => program.kill(signal));
program.on('error', (error) => {
  process.stderr.write(`segue: Node 24 cannot be started: ${error.code}\n`);
  process.exitCode = 1;
});
program.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0);
});
