import { GossamerError } from '../base/errors.js';
import { resumeCommand } from '../store/directory.js';
import { advised } from './exit.js';

/** Of our own errors, those that leave a run behind which can go on: room, disk or store gave out, an output could not be written. */
const LEAVES_A_RUN: readonly string[] = ['memory', 'disk_low', 'disk_full', 'store', 'store_died', 'output'];

/** What takes a run down is shown with the line that goes on with it. */
export async function advisedToResume<T>(
  directory: string,
  run: () => Promise<T>,
  leavesARun: readonly string[] = LEAVES_A_RUN,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const isOver = !(error instanceof GossamerError) || leavesARun.includes(error.code);
    throw isOver ? advised(error, `\`${resumeCommand(directory)}\` goes on`) : error;
  }
}
