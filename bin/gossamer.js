#!/usr/bin/env node
import { crashed, main } from '../dist/bundle/main.js';

process.on('uncaughtException', crashed);
process.exitCode = await main(process.argv.slice(2));
