import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

const NAMES = [
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'],
  ...['msedge', 'chrome.exe', 'msedge.exe'],
];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  '/snap/bin/chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** How to get one, as the end of a sentence. */
export const HOW_TO_GET_ONE = 'install Chromium or Chrome, or name one in CHROME_PATH';

/** The browser of this machine: the one that CHROME_PATH names, or the first that is found; null where there is none. */
export async function findBrowser(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | null> {
  const given = env.CHROME_PATH ?? '';
  if (given !== '') {
    return (await isProgram(given)) ? given : null;
  }
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute);
  for (const path of [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...PLACES]) {
    if (await isProgram(path)) {
      return path;
    }
  }
  return null;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
