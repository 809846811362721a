import { GossamerError } from '../base/errors.js';
import { resumeCommand } from '../store/directory.js';
import { withAdvice } from './exit.js';

/** Codes of our own errors after which a run can be resumed: memory, disk or store gave out, or an output could not be written. */
const LEAVES_A_RUN: readonly string[] = ['memory', 'disk_low', 'disk_full', 'store', 'store_died', 'output'];

/** Shows the command that resumes the run with the error that ended it. */
export async function withResumeAdvice<T>(
  directory: string,
  run: () => Promise<T>,
  leavesARun: readonly string[] = LEAVES_A_RUN,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const isOver = !(error instanceof GossamerError) || leavesARun.includes(error.code);
    throw isOver ? withAdvice(error, `\`${resumeCommand(directory)}\` goes on`) : error;
  }
}
