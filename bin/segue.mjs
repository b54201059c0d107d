#!/usr/bin/env node
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * The `segue` command. It runs under any Node from 20 on, and runs the program under Node 24, which comes as a package.
 */

const require = createRequire(import.meta.url);
const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

const isNode24 = Number(process.versions.node.split('.')[0]) >= 24;
await (isNode24 ? runHere() : runUnderNode24());

/** Runs the program in this process, which is faster than to start another. */
async function runHere() {
  hideExperimentalWarnings();
  require('../tools/require-node-24.cjs');
  await import('../packages/cli/segue.ts');
}

/** Does what the option `--disable-warning=ExperimentalWarning` of Node does. */
function hideExperimentalWarnings() {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...rest) => {
    if (rest[0] !== 'ExperimentalWarning') emitWarning.call(process, warning, ...rest);
  };
}

/** Runs the program under the Node 24 of the package for this platform. */
async function runUnderNode24() {
  const { spawn } = await import('node:child_process');
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
  const { constants } = await import('node:os');
  program.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0);
  });
}

function node24() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const file = platform === 'win' ? 'node.exe' : 'bin/node';
  try {
    return require.resolve(`node-${platform}-${process.arch}/${file}`);
  } catch {
    // `tools/require-node-24.cjs` then says what is missing.
    return process.execPath;
  }
}
