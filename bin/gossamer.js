#!/usr/bin/env node
import { main, reportCrash } from '../dist/bundle/main.js';

process.on('uncaughtException', reportCrash);
process.exitCode = await main(process.argv.slice(2));
