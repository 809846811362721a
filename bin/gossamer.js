#!/usr/bin/env node
import { main } from '../dist/bundle/main.js';

// What is thrown behind the back of a command is a defect of ours. Node would end with 1, which means findings.
process.on('uncaughtException', (error) => {
  process.stderr.write(`error: this is a defect of gossamer, please report it\n  ${error?.stack ?? error}\n`, () =>
    process.exit(3),
  );
});

process.exitCode = await main(process.argv.slice(2));
