#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
import module from 'node:module';

/** The `segue` command of the package. */
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(`segue needs Node 24 or later, but this is ${process.version}\n`);
  process.exitCode = 1;
} else {
  module.enableCompileCache();
  await import('../packages/cli/segue.js');
}
